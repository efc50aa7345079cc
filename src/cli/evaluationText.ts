/** Evaluations as the programs print them: on a line, and before → after. */
import {
  formAndContent,
  formText,
  gainsOf,
  gainText,
  verdictText,
  type Gain,
} from '@rl-playground/run/diagnosis';
import { accuraciesOf, wrongWorking, type Accuracy, type EvalResult } from '@rl-playground/run/loop';

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
  const split = formAndContent(before, after);
  const form = split && formText(split);
  const [guessed, guesses] = [wrongWorking(before), wrongWorking(after)];
  return [
    ...told('sampled', then.sampled, now.sampled, gains.sampled),
    ...told('greedy', then.greedy, now.greedy, gains.greedy),
    ...told(`pass@${gains.passAtK?.k}`, then.passAtK, now.passAtK, gains.passAtK),
    `format ${percent(before.format)} → ${percent(after.format)}`,
    ...(form === null ? [] : [form]),
    ...(guessed && guesses
      ? [`right answers with wrong working ${percent(guessed.share)} → ${percent(guesses.share)}`]
      : []),
    ...(verdict === null ? [] : [verdict]),
  ];
}
