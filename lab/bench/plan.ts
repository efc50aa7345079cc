/** The plan of a suite: workloads, their participants, and the rows that are made of the samples. */
import type {
  BackendName,
  ModelSource,
  ParticipantName,
  PeerName,
  Sample,
  Targets,
  Workload,
} from './types.ts';

export interface RowSpec {
  readonly name: string;
  readonly shape: string;
  readonly unit: string;
  /** The row's figure, in its unit, from one timed repeat. */
  readonly value: (sample: Sample) => number;
  /** The row only informs if this is absent. */
  readonly target?: Targets;
}

/** A row of the samples' time. */
export const timeRow = (name: string, shape: string, target: Targets = {}): RowSpec => ({
  name,
  shape,
  unit: 'ms',
  value: milliseconds,
  target,
});

/** A row of a part of the samples' time. */
export const partRow = (name: string, shape: string, part: string, target: Targets = {}): RowSpec => ({
  name,
  shape,
  unit: 'ms',
  value: (sample) => 1000 * (sample[part] ?? NaN),
  target,
});

/** Compares two results: null if they agree, else the difference in words. */
export type Comparison = (ours: Float32Array, theirs: Float32Array) => string | null;

/** A comparison that may ask less of some peer. */
export type Agreement = (ours: Float32Array, theirs: Float32Array, peer: PeerName) => string | null;

export interface Plan {
  readonly workload: Workload;
  /** The peers besides ours. */
  readonly peers: readonly PeerName[];
  readonly rows: readonly RowSpec[];
  readonly agreement: Agreement;
}

/** The facts by which suites choose. */
export interface SuiteContext {
  readonly backend: BackendName;
  /** True on a GPU that is no software adapter. */
  readonly hardware: boolean;
  /** The participants that can be started. */
  readonly available: ReadonlySet<ParticipantName>;
  readonly model: ModelSource;
  /** True for only the main sizes. */
  readonly quick: boolean;
  readonly rollouts: number;
  readonly tokens: number;
}

/** Every value within `tolerance` of ours, relative to the largest of ours. */
export function valuesAgree(tolerance: number): Comparison {
  return (ours, theirs) => {
    if (ours.length !== theirs.length) return `${theirs.length} values came back; ${ours.length} are needed`;
    const scale = ours.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1e-30);
    let worst = 0;
    let where = 0;
    ours.forEach((value, i) => {
      const error = Math.abs(value - (theirs[i] as number)) / scale;
      // The condition is written so that NaN counts as the worst.
      if (error <= worst) return;
      worst = Number.isNaN(error) ? Infinity : error;
      where = i;
    });
    return worst <= tolerance
      ? null
      : `its result differs from ours, ${theirs[where]} against ${ours[where]} where the largest value is ${scale}; ` +
          `at most ${tolerance} of that is allowed`;
  };
}

/** Compares loss and gradient norm of two updates. TF32 keeps ten of f32's 23 bits behind the point. */
export const trainingAgrees: Agreement = (ours, theirs, peer) =>
  valuesAgree(peer === 'torch tf32' ? 2e-2 : 2e-3)(ours, theirs);

/** Requires that a `share` of the tokens is the same: after a tie that rounding decides, the rest of a row may differ. */
export function tokensAgree(share: number): Comparison {
  return (ours, theirs) => {
    if (ours.length !== theirs.length) return `${theirs.length} tokens came back; ${ours.length} are needed`;
    const same = ours.reduce((count, token, i) => count + (token === theirs[i] ? 1 : 0), 0) / ours.length;
    return same >= share
      ? null
      : `${(100 * same).toFixed(1)}% of its greedy tokens are ours; ${100 * share}% are needed`;
  };
}

/** The plan of a workload that only ours runs: there is nothing to compare. */
export const oursAlone = (workload: Workload, rows: readonly RowSpec[]): Plan => ({
  workload,
  peers: [],
  agreement: () => null,
  rows,
});

/** A part of a sample as percent of its whole time. */
export const percentOf =
  (part: string) =>
  (sample: Sample): number =>
    (100 * (sample[part] ?? NaN)) / sample.seconds;

/** The row of the CPU seconds of all threads in a run. */
export const cpuRow = (name: string, shape: string, target: Targets = {}): RowSpec => ({
  name: `${name}: CPU`,
  shape,
  unit: 's',
  value: ({ cpu = NaN }) => cpu,
  target,
});

export const milliseconds = ({ seconds }: Sample): number => seconds * 1000;

/** Amount per second: GFLOP/s, GB/s, rollouts/s. */
export const perSecond =
  (amount: number) =>
  ({ seconds }: Sample): number =>
    amount / seconds;
