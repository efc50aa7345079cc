/** Compares the watch with labelled runs: the time of each alarm, and its worth. */
import { mean } from '@rl-playground/base/statistics';
import type { DiagnosisId } from '@rl-playground/run/settings';
import { RULES, strengths, Watch } from '@rl-playground/run/diagnosis';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { tableOf } from '../markdown.ts';
import type { LabelledRun } from './record.ts';

/** The steps after the onset in which an alarm has to name the cause. */
export const IN_TIME = 8;
/** The steps whose mean must be below the beginning's by FALL_FOR_GOOD, as the last ones are, if a measure has fallen for good. */
const AHEAD = 6;
const BEGINNING = 3;
const FALL_FOR_GOOD = 0.15;

export interface Judged {
  readonly run: LabelledRun;
  /** The step from which on the run counts as failing; null for a healthy one, and for one that did not fail. */
  readonly onset: number | null;
  /** The alarms that were shown, with the step of each. */
  readonly shown: readonly { readonly id: DiagnosisId | null; readonly step: number }[];
  /** The first step of any alarm, and of a right one; null if there was none. */
  readonly alarmed: number | null;
  readonly named: number | null;
  /** True if it is named at the latest IN_TIME steps after the onset. */
  readonly inTime: boolean;
}

/** The step from which a measure stays below its earlier value, judged with the whole run known; null if it does not. */
function fallsForGood(metrics: readonly StepMetrics[], measure: 'accuracy' | 'format'): number | null {
  const values = metrics.map((step) => step[measure]);
  const level = mean(values.slice(0, BEGINNING)) - FALL_FOR_GOOD;
  if (mean(values.slice(-AHEAD)) > level) return null;
  const last = values.length - AHEAD;
  const stays = (from: number): boolean =>
    Array.from({ length: last - from + 1 }, (_, i) => mean(values.slice(from + i, from + i + AHEAD))).every(
      (ahead) => ahead <= level,
    );
  for (let from = 0; from <= last; from++) if (stays(from)) return from + 1;
  return null;
}

export function judge(run: LabelledRun): Judged {
  const { kind, config, metrics } = run;
  const watch = new Watch();
  const shown: { id: DiagnosisId | null; step: number }[] = [];
  for (let step = 1; step <= metrics.length; step++) {
    const id = watch.follow(metrics.slice(0, step), config)?.diagnosis.id ?? null;
    if (id !== (shown.at(-1)?.id ?? null)) shown.push({ id, step });
  }
  const failing = kind.right.length > 0;
  const onset = !failing ? null : kind.onset === 'start' ? 1 : fallsForGood(metrics, kind.onset);
  const alarmed = shown.find(({ id }) => id !== null)?.step ?? null;
  const named = shown.find(({ id }) => id !== null && kind.right.includes(id))?.step ?? null;
  const inTime = onset !== null && named !== null && named <= onset + IN_TIME;
  return { run, onset, shown, alarmed, named, inTime };
}

const share = (part: number, all: number): string => (all === 0 ? '–' : `${part} of ${all}`);

/** The alarms as text: `3 ruinous-rate, 9 –`. */
export const shownText = ({ shown }: Judged): string =>
  shown.map(({ id, step }) => `${step} ${id ?? '–'}`).join(', ') || 'nothing';

function delays(rows: readonly Judged[]): string {
  const all = rows.flatMap(({ onset, named }) => (onset === null || named === null ? [] : [named - onset]));
  return all.length === 0 ? '–' : all.toSorted((a, b) => a - b).join(', ');
}

/** A table row a kind, then precision and recall over all, then each run that was judged wrongly. */
export function report(judged: readonly Judged[]): string {
  const kinds = [...new Set(judged.map(({ run }) => run.kind))];
  const rows = kinds.map((kind) => {
    const own = judged.filter(({ run }) => run.kind === kind);
    const alarms = own.filter(({ alarmed }) => alarmed !== null).length;
    if (kind.right.length === 0) return `| ${kind.name} | healthy | ${own.length} | ${alarms} | | |`;
    const failing = own.filter(({ onset }) => onset !== null);
    const inTime = share(failing.filter((each) => each.inTime).length, failing.length);
    return `| ${kind.name} | ${kind.right.join(' or ')} | ${own.length} | ${alarms} | ${inTime} | ${delays(failing)} |`;
  });
  const failing = judged.filter(({ onset }) => onset !== null);
  const healthy = judged.filter(({ run }) => run.kind.right.length === 0);
  const alarmedWell = failing.filter(({ alarmed }) => alarmed !== null).length;
  const falseAlarms = healthy.filter(({ alarmed }) => alarmed !== null).length;
  const inTime = failing.filter((each) => each.inTime).length;
  const wrong = judged.filter(
    ({ run, onset, alarmed, inTime }) =>
      (run.kind.right.length === 0 && alarmed !== null) || (onset !== null && !inTime),
  );
  return [
    '| runs | right diagnosis | runs | with an alarm | named within 8 steps of the onset | steps from onset to name |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `Runs: ${judged.length}, ${failing.length} failing, ${healthy.length} healthy; ${judged.length - failing.length - healthy.length} that were to fail and did not.`,
    `Precision of an alarm: ${share(alarmedWell, alarmedWell + falseAlarms)}. Recall, named rightly within ${IN_TIME} steps: ${share(inTime, failing.length)}; alarmed at all: ${share(alarmedWell, failing.length)}.`,
    ...wrong.map(
      (each) =>
        `Missed: ${each.run.kind.name} seed ${each.run.config.seed}, onset ${each.onset ?? '–'}, shown: ${shownText(each)}`,
    ),
  ].join('\n');
}

/**
 * The margins of the rules: for each diagnosis the greatest strength (1 is its threshold) that a healthy run ever had, and the least that
 * a failing run of its kind reached within IN_TIME steps of its onset.
 */
export function margins(judged: readonly Judged[]): string {
  const greatest = ({ run: { metrics, config } }: Judged, id: DiagnosisId, upTo: number): number =>
    Math.max(
      0,
      ...metrics
        .slice(0, upTo)
        .map((_, i) => strengths(metrics.slice(0, i + 1), config).get(id) ?? 0)
        .filter(Number.isFinite),
    );
  const rows = RULES.map(({ id }) => {
    const healthy = judged.filter(({ run }) => run.kind.right.length === 0);
    const own = judged.filter(({ run, onset }) => run.kind.right[0] === id && onset !== null);
    const most = healthy.map((each) => greatest(each, id, Infinity));
    const least = own.map((each) => greatest(each, id, (each.onset ?? 0) + IN_TIME));
    const text = (values: readonly number[], pick: (...values: number[]) => number): string =>
      values.length === 0 ? '–' : String(Number(pick(...values).toPrecision(3)));
    return `| ${id} | ${text(most, Math.max)} | ${text(least, Math.min)} |`;
  });
  return tableOf(['diagnosis', 'most in a healthy run', 'least in a failing run'], rows);
}
