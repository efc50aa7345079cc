/** Evaluations as the programs print them: on a line, and before → after in a table. */
import { gainsOf, gainText, verdictText, type Gain } from '@rl-playground/run/diagnosis';
import { accuraciesOf, type Accuracy, type EvalResult } from '@rl-playground/run/loop';

/** The measures of an evaluation in the table; `--json` has them under the same names. */
export type Measured = Pick<EvalResult, 'accuracy' | 'format' | 'greedy' | 'passAtK'>;

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

/** A share with its 95 % interval, in percent. */
function withInterval({ share, interval }: Accuracy): string {
  const bound = (value: number): string => (100 * value).toFixed(1);
  return interval ? `${percent(share)} (${bound(interval.low)}–${bound(interval.high)})` : percent(share);
}

/** One line; in brackets 95 % intervals. */
export function evaluationLine(evaluation: EvalResult): string {
  const { step, format, formatScore, n, seconds, levels = [] } = evaluation;
  const { sampled, greedy, passAtK } = accuraciesOf(evaluation);
  return [
    `[EVAL ${String(step).padStart(3)}] ${percent(format)} formatted`,
    ...(formatScore === undefined ? [] : [`format score ${percent(formatScore)}`]),
    ...(sampled ? [`sampled ${withInterval(sampled)} at temperature ${sampled.temperature}`] : []),
    ...(greedy ? [`greedy ${withInterval(greedy)}`] : []),
    ...(passAtK ? [`pass@${passAtK.k} ${withInterval(passAtK)}`] : []),
    `${n} held-out problems`,
    ...levels.map(({ task, level, accuracy }) => `${task} level ${level} greedy ${percent(accuracy)}`),
    `${seconds.toFixed(1)}s`,
  ].join('  ');
}

/** Some lines on the change from one evaluation to another, and what it says about the run. */
export function changeLines(before: EvalResult, after: EvalResult): string[] {
  const [then, now, gains] = [accuraciesOf(before), accuraciesOf(after), gainsOf(before, after)];
  const told = (name: string, first: Accuracy | null, last: Accuracy | null, gain: Gain | null): string[] =>
    first && last && gain
      ? [`${name} ${percent(first.share)} → ${percent(last.share)}, ${gainText(gain)}`]
      : [];
  const verdict = verdictText(gains);
  return [
    ...told('sampled', then.sampled, now.sampled, gains.sampled),
    ...told('greedy', then.greedy, now.greedy, gains.greedy),
    ...told(`pass@${gains.passAtK?.k}`, then.passAtK, now.passAtK, gains.passAtK),
    `format ${percent(before.format)} → ${percent(after.format)}`,
    ...(verdict === null ? [] : [verdict]),
  ];
}

/** The heads of `evaluationCells`. */
export const EVALUATION_HEADS = ['sampled', 'greedy', 'pass@k', 'format'] as const;

/** The cells before → after, as shares; a dash if one of the two is missing. */
export function evaluationCells(before: Measured, after: Measured): string[] {
  const arrow = (first: number | undefined, last: number | undefined): string =>
    first === undefined || last === undefined ? '–' : `${first.toFixed(3)} → ${last.toFixed(3)}`;
  const k = before.passAtK?.k === after.passAtK?.k ? after.passAtK?.k : undefined;
  return [
    arrow(before.accuracy, after.accuracy),
    arrow(before.greedy?.accuracy, after.greedy?.accuracy),
    k === undefined ? '–' : `${arrow(before.passAtK?.accuracy, after.passAtK?.accuracy)} (k ${k})`,
    arrow(before.format, after.format),
  ];
}
