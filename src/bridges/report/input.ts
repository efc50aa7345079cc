/** The data of a report. */
import { sameValue, FIELD_KEYS, type RunConfig } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';

export interface ReportRun {
  /** The name that a person gave it. */
  readonly name: string;
  readonly config: RunConfig;
  readonly metrics: readonly StepMetrics[];
  /** The evaluations in the order of their steps. */
  readonly evaluations: readonly EvalResult[];
  /** The seconds in steps, warm-up and evaluations; null if they are not known. */
  readonly wallSeconds: number | null;
  /** A person's note on the run; empty for none. */
  readonly note: string;
}

/** Runs of the same settings, told apart by their seeds, or one run. */
export interface ReportArm {
  readonly name: string;
  /** The runs, at least one. */
  readonly runs: readonly [ReportRun, ...ReportRun[]];
}

export interface ReportInput {
  /** The arms. The others are compared with the first. */
  readonly arms: readonly [ReportArm, ...ReportArm[]];
  /** The address of the page that links lead to, without a query; null if it is not known. */
  readonly page: string | null;
  readonly date: Date;
}

const sameButSeed = (a: RunConfig, b: RunConfig): boolean =>
  FIELD_KEYS.every((key) => key === 'seed' || sameValue(a[key], b[key]));

/** The runs as arms, which are the runs with the same settings except for the seed, in the order of their first runs. */
export function armsOf(runs: readonly [ReportRun, ...ReportRun[]]): ReportInput['arms'] {
  const groups: [ReportRun, ...ReportRun[]][] = [];
  for (const run of runs) {
    const group = groups.find(
      ([first, ...others]) =>
        sameButSeed(first.config, run.config) &&
        [first, ...others].every(({ config }) => config.seed !== run.config.seed),
    );
    if (group) group.push(run);
    else groups.push([run]);
  }
  const arms = groups.map((group) => ({
    name: group.length > 1 ? `${group[0].name} (${group.length} seeds)` : group[0].name,
    runs: group,
  }));
  const [first, ...others] = arms;
  if (first === undefined) throw new Error('A report needs at least one run.');
  return [first, ...others];
}
