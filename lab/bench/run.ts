/** A whole benchmark: suites one after the other, participants started when first needed. */
import { findAdapter } from '@rl-playground/engine/parts';
import { messageOf } from '@rl-playground/base/errors';
import { ceilingPlan } from './suites/ceilings.ts';
import { plansOf } from './suites/plans.ts';
import { measurePlan, type Row } from './measure.ts';
import type { CeilingName, Plan, SuiteContext } from './plan.ts';
import type {
  Environment,
  BackendName,
  ModelSource,
  Participant,
  ParticipantName,
  Spread,
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
  readonly onRow: (row: Row) => void;
}

export interface BenchOutcome {
  readonly adapter: string;
  readonly backend: BackendName;
  readonly rows: readonly Row[];
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
  const started = new Map<string, Promise<Participant>>();
  const summon = (name: ParticipantName, threads = host.environment.threads): Promise<Participant> => {
    const key = `${name} ${threads}`;
    const known = started.get(key) ?? host.start(name, { ...host.environment, backend, threads });
    started.set(key, known);
    return known;
  };
  const rows: Row[] = [];
  const ceilings = new Map<CeilingName, Spread>();
  const add = (row: Row): void => {
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
      software: backend === 'wasm' || found?.software !== false,
      countsCpu: host.cpuSeconds !== undefined,
    };
    const plans = plansOf(options.suites, context);
    const jobs: readonly { plan: Plan; ceiling: CeilingName | null }[] = [
      ...ceilingsNeeded(plans).map((ceiling) => ({ plan: ceilingPlan(ceiling, context), ceiling })),
      ...plans.map((plan) => ({ plan, ceiling: null })),
    ];
    for (const [done, { plan, ceiling }] of jobs.entries()) {
      const name = plan.rows[0] ? `${plan.rows[0].name} ${plan.rows[0].shape}` : '';
      const onStage = (stage: string): void =>
        events.onProgress({ done, total: jobs.length, text: `${name} · ${stage}` });
      const measured = await measurePlan(plan, summon, {
        repeats: options.repeats,
        ceilings,
        cpuSeconds: host.cpuSeconds,
        onStage,
      });
      const best = measured[0]?.result.ours;
      if (ceiling !== null && best) ceilings.set(ceiling, best);
      measured.forEach(add);
    }
    events.onProgress({ done: jobs.length, total: jobs.length, text: 'done' });
    return { adapter, backend, rows };
  } finally {
    for (const participant of started.values()) {
      participant.then((each) => each.dispose()).catch((error: unknown) => void messageOf(error));
    }
  }
}

/** The ceilings that the plans' rows are compared with. */
function ceilingsNeeded(plans: readonly Plan[]): CeilingName[] {
  const named = plans.flatMap(({ rows }) =>
    rows.flatMap(({ ceiling, needs = [] }) => (ceiling === undefined ? needs : [ceiling, ...needs])),
  );
  return [...new Set(named)];
}
