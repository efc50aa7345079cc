/** A whole benchmark: suites one after the other, participants started when first needed. */
import { findAdapter } from '@rl-playground/engine/parts';
import { messageOf } from '@rl-playground/base/errors';
import { plansOf } from './suites/plans.ts';
import { measurePlan } from './measure.ts';
import type { SuiteContext } from './plan.ts';
import type {
  BenchResult,
  Environment,
  BackendName,
  ModelSource,
  Participant,
  ParticipantName,
  SuiteName,
} from './types.ts';

export interface BenchOptions {
  readonly suites: readonly SuiteName[];
  /** Null takes the GPU if there is any adapter, hardware or not. */
  readonly backend: BackendName | null;
  readonly model: ModelSource;
  readonly repeats: number;
  /** Only the main sizes of each suite. */
  readonly quick: boolean;
  /** Sequences in a training step and in a batch of rollouts. */
  readonly rollouts: number;
  /** Positions of a sequence in training, sampled tokens of a rollout. */
  readonly tokens: number;
}

export interface BenchProgress {
  /** Plans that are done, of all of them. */
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

export interface BenchHost {
  readonly environment: Omit<Environment, 'backend'>;
  /** Participants that this host can start. */
  readonly available: ReadonlySet<ParticipantName>;
  start(name: ParticipantName, environment: Environment): Promise<Participant>;
  /** CPU seconds of all that participants in the page have done; absent where nobody can tell. */
  readonly cpuSeconds?: () => Promise<number>;
}

export interface BenchEvents {
  readonly onProgress: (progress: BenchProgress) => void;
  readonly onRow: (row: BenchResult) => void;
}

export interface BenchOutcome {
  readonly adapter: string;
  readonly backend: BackendName;
  readonly rows: readonly BenchResult[];
}

/**
 * Runs the suites and resolves to their rows. A peer that fails costs only its own figures.
 *
 * @throws if ours can't start on the backend
 */
export async function runBenchmark(
  options: BenchOptions,
  host: BenchHost,
  events: BenchEvents,
): Promise<BenchOutcome> {
  const found = await findAdapter();
  const backend = options.backend ?? (found ? 'webgpu' : 'wasm');
  const started = new Map<ParticipantName, Promise<Participant>>();
  const summon = (name: ParticipantName): Promise<Participant> => {
    const known = started.get(name) ?? host.start(name, { ...host.environment, backend });
    started.set(name, known);
    return known;
  };
  const rows: BenchResult[] = [];
  const add = (row: BenchResult): void => {
    rows.push(row);
    events.onRow(row);
  };
  try {
    const { adapter } = await summon('ours');
    const context: SuiteContext = {
      ...options,
      backend,
      // On the CPU, ours there is the subject, not a peer.
      available: new Set([...host.available].filter((name) => name !== backend)),
      countsCpu: host.cpuSeconds !== undefined,
    };
    const plans = plansOf(options.suites, context);
    for (const [done, plan] of plans.entries()) {
      const name = plan.rows[0] ? `${plan.rows[0].name} ${plan.rows[0].shape}` : '';
      const onStage = (stage: string): void =>
        events.onProgress({ done, total: plans.length, text: `${name} · ${stage}` });
      const { repeats } = options;
      const measured = await measurePlan(plan, summon, { repeats, cpuSeconds: host.cpuSeconds, onStage });
      measured.forEach(add);
    }
    events.onProgress({ done: plans.length, total: plans.length, text: 'done' });
    return { adapter, backend, rows };
  } finally {
    for (const participant of started.values()) {
      participant.then((each) => each.dispose()).catch((error: unknown) => void messageOf(error));
    }
  }
}
