/** The runs from which a report is made. */
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
  /** The seconds of steps, warm-up and evaluations; null if nobody kept them. */
  readonly wallSeconds: number | null;
  /** A person's note; empty without one. */
  readonly note: string;
}

/** Runs of the same settings, told apart by their seeds, or one run. */
export interface ReportArm {
  readonly name: string;
  readonly runs: readonly [ReportRun, ...ReportRun[]];
}

export interface ReportInput {
  /** The first is compared with each of the others. */
  readonly arms: readonly [ReportArm, ...ReportArm[]];
  /** The address of the page for links, without a query; null if it is not known. */
  readonly page: string | null;
  readonly date: Date;
}

const sameButSeed = (a: RunConfig, b: RunConfig): boolean =>
  FIELD_KEYS.every((key) => key === 'seed' || sameValue(a[key], b[key]));

/** Groups runs whose settings differ by the seed alone, in the order of their first runs. */
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
