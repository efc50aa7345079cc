/** What a report is made of. */
import { sameValue, FIELD_KEYS, type RunConfig } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';

export interface ReportRun {
  /** What a person calls it. */
  readonly name: string;
  readonly config: RunConfig;
  readonly metrics: readonly StepMetrics[];
  /** In the order of their steps. */
  readonly evaluations: readonly EvalResult[];
  /** Seconds in steps, warm-up and evaluations; null where nobody kept them. */
  readonly wallSeconds: number | null;
  /** What a person noted of it; empty for nothing. */
  readonly note: string;
}

/** Runs of the same settings, told apart by their seeds, or one run. */
export interface ReportArm {
  readonly name: string;
  /** At least one. */
  readonly runs: readonly [ReportRun, ...ReportRun[]];
}

export interface ReportInput {
  /** The first is what the others are held against. */
  readonly arms: readonly [ReportArm, ...ReportArm[]];
  /** Address of the page that links lead to, without a query; null where it is not known. */
  readonly page: string | null;
  readonly date: Date;
}

const sameButSeed = (a: RunConfig, b: RunConfig): boolean =>
  FIELD_KEYS.every((key) => key === 'seed' || sameValue(a[key], b[key]));

/** Runs with the same settings but for the seed as one arm, in the order of their first runs. */
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
