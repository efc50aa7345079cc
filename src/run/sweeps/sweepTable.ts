/** A sweep's table: a row for each task and combination of settings, with means over its seeds and their 95 % intervals. */
import type { Interval } from '@rl-playground/base/intervals';
import { mean } from '@rl-playground/base/statistics';
import { seedInterval95, seedShares95 } from '../diagnosis/compareRuns.ts';
import type { Sweep, SweepEvaluation, SweepRecord, SweepRun } from './sweepFile.ts';

/** A mean over seeds. */
export interface Summary {
  readonly mean: number;
  /** 95 %, by Student's t; null for fewer than three seeds. */
  readonly interval: Interval | null;
}

/** A measure is null if no run of the row has it. */
export interface Measure {
  readonly before: Summary | null;
  readonly after: Summary | null;
  /** The rise from before to after, for each run. */
  readonly rise: Summary | null;
}

export const MEASURES = ['greedy', 'sampled', 'passAtK'] as const;
export type MeasureName = (typeof MEASURES)[number];

export interface SweepRow extends Readonly<Record<MeasureName, Measure>> {
  readonly task: string;
  /** A value for each of the sweep's axes. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly runs: readonly string[];
  /** So many of the runs have ended. */
  readonly n: number;
  /** So many of the runs showed an alarm on the way. */
  readonly alarmed: number;
  /** The k of pass@k; null where its runs have none, or several. */
  readonly k: number | null;
}

/** Shares of right answers; null where an evaluation lacks one. */
const SHARES: Readonly<Record<MeasureName, (evaluation: SweepEvaluation) => number | null>> = {
  greedy: ({ greedy, temperature, accuracy }) => greedy?.accuracy ?? (temperature === 0 ? accuracy : null),
  sampled: ({ temperature, accuracy }) => (temperature > 0 ? accuracy : null),
  passAtK: ({ passAtK }) => passAtK?.accuracy ?? null,
};

function summary(
  values: readonly (number | null)[],
  interval95: (known: readonly number[]) => Interval | null = seedShares95,
): Summary | null {
  const known = values.flatMap((value) => (value === null ? [] : [value]));
  return known.length === 0 ? null : { mean: mean(known), interval: interval95(known) };
}

function measure(records: readonly SweepRecord[], name: MeasureName): Measure {
  const shares = records.map(({ evalBefore, evalAfter }) => ({
    before: evalBefore && SHARES[name](evalBefore),
    after: evalAfter && SHARES[name](evalAfter),
  }));
  return {
    before: summary(shares.map(({ before }) => before)),
    after: summary(shares.map(({ after }) => after)),
    rise: summary(
      shares.map(({ before, after }) => (before === null || after === null ? null : after - before)),
      seedInterval95,
    ),
  };
}

export function sweepTable({ runs }: Pick<Sweep, 'runs'>): SweepRow[] {
  const groups = new Map<string, SweepRun[]>();
  for (const run of runs) {
    const key = JSON.stringify([run.task, run.settings]);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(run);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const records = group.flatMap(({ record }) => record ?? []);
    const ks = new Set(records.map(({ evalAfter }) => evalAfter?.passAtK?.k ?? null));
    const [k = null] = ks;
    return [
      {
        task: first.task,
        settings: first.settings,
        runs: group.map(({ name }) => name),
        n: records.length,
        alarmed: records.filter(({ collapse }) => collapse !== null).length,
        k: ks.size === 1 ? k : null,
        greedy: measure(records, 'greedy'),
        sampled: measure(records, 'sampled'),
        passAtK: measure(records, 'passAtK'),
      },
    ];
  });
}

/** The name of one of a sweep's settings in a table or on an axis. */
export function settingText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
