/** A whole benchmark: suites one after the other, participants started when first needed. */
import { plansOf } from './suites/plans.ts';
import { measurePlan } from './measure.ts';
import { askedParticipant, type ParticipantAnswer, type ParticipantRequest } from './participants/asked.ts';
import type { SuiteContext } from './plan.ts';
import type {
  BenchMachine,
  BenchReport,
  BenchResult,
  Environment,
  BackendName,
  ModelSource,
  Participant,
  ParticipantName,
  PeerName,
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
  /** The peers that are left out. */
  readonly without: readonly PeerName[];
  /** Sequences in a training step and in a batch of rollouts. */
  readonly rollouts: number;
  /** Positions of a sequence in training, sampled tokens of a rollout. */
  readonly tokens: number;
}

export interface BenchHost {
  readonly environment: Environment;
  /** Participants that this host can start. */
  readonly available: ReadonlySet<ParticipantName>;
  ask(name: ParticipantName, request: ParticipantRequest): Promise<ParticipantAnswer>;
  /** CPU seconds of all that participants in the page have done. */
  readonly cpuSeconds: () => Promise<number>;
}

/** Hears of a benchmark while it runs. */
export interface BenchListener {
  /** Ours has started; nothing is timed yet. */
  started(machine: BenchMachine): void;
  /** A line on what is timed next. */
  next(text: string): void;
  measured(result: BenchResult): void;
}

/**
 * Runs the suites, tells each row as soon as it is measured, and resolves to all of them. A peer that fails costs only its own figures.
 *
 * @throws if ours can't start on the backend
 */
export async function runBenchmark(
  options: BenchOptions,
  host: BenchHost,
  listener: BenchListener,
): Promise<BenchReport> {
  const { environment, available, cpuSeconds } = host;
  const { backend } = environment;
  const started = new Map<ParticipantName, Promise<Participant>>();
  const summon = (name: ParticipantName): Promise<Participant> => {
    const known = started.get(name) ?? askedParticipant((request) => host.ask(name, request), environment);
    started.set(name, known);
    return known;
  };
  const results: BenchResult[] = [];
  const { adapter } = await summon('ours');
  listener.started({ adapter, backend });
  const context: SuiteContext = {
    ...options,
    backend,
    hardware: backend === 'webgpu' && environment.hardware,
    // On the CPU, ours there is the subject, not a peer.
    available: new Set([...available].filter((name) => name !== backend)),
  };
  const plans = plansOf(options.suites, context);
  for (const [done, plan] of plans.entries()) {
    const [first] = plan.rows;
    listener.next(`[${done + 1}/${plans.length}] ${first ? `${first.name} ${first.shape}` : ''}`);
    for (const row of await measurePlan(plan, summon, { repeats: options.repeats, cpuSeconds })) {
      results.push(row);
      listener.measured(row);
    }
  }
  return { adapter, backend, results };
}
