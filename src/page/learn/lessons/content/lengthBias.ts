import { fixed } from '../../../ui/text/format.ts';
import type { ArmRecord, Finding, FirstAnswer, Lesson } from './lesson.ts';
import { chartOf, greedyRow, last, meanOf, meansApart, type Value } from './measure.ts';

const STEPS = 10;
const length: Value = (step) => step.meanLength;
const longest: Value = (step) => step.maxLength;

/**
 * The shortest and the longest of the answers with a negative advantage. A loss that divides by each
 * answer's own length pushes a token of the shortest `ratio` times as hard as a token of the longest.
 */
function pushRatio(answers: readonly FirstAnswer[]): { short: number; long: number; ratio: number } | null {
  const lengths = answers.flatMap(({ tokens, advantage }) => (advantage < 0 && tokens > 0 ? [tokens] : []));
  if (lengths.length < 2) return null;
  const [short, long] = [Math.min(...lengths), Math.max(...lengths)];
  return { short, long, ratio: long / short };
}

function find(records: readonly ArmRecord[]): Finding {
  const [byAnswer, byToken] = records;
  if (byAnswer === undefined || byToken === undefined) return { outcome: null, rows: [], said: [] };
  const { difference, surely } = meansApart(byToken, byAnswer, length, STEPS);
  const outcome = !surely ? 'same' : difference > 0 ? 'longer' : 'shorter';
  const pushed = pushRatio(byAnswer.answers);
  const ends = (value: Value): string[] =>
    records.map((record) => fixed(meanOf(last(record, STEPS), value), 1));
  return {
    outcome,
    rows: [
      { what: `Mean length, last ${STEPS} steps, tokens`, values: ends(length) },
      { what: `Longest answer of a step, mean of the last ${STEPS}`, values: ends(longest) },
      greedyRow(records),
    ],
    said: [
      ...(pushed === null
        ? []
        : [
            `In the first step the answers that were pushed away had ${pushed.short} to ${pushed.long} tokens. Averaged answer by answer, a token of the shortest was pushed ${fixed(pushed.ratio, 1)} times as hard as one of the longest; over all tokens, both alike.`,
          ]),
      `At the end the answers of the run that averages by answer were ${fixed(Math.abs(difference), 2)} tokens ${difference >= 0 ? 'longer' : 'shorter'} than those of the other${surely ? '' : ', which is within what single steps scatter'}.`,
    ],
  };
}

export const LENGTH_BIAS: Lesson = {
  id: 'length-bias',
  before: [
    'A loss has a term for every token of every answer. The first GRPO divides an answer’s terms by the length of that answer, then takes the mean over answers. DAPO divides by all tokens of the batch.',
    'In the first way, a token of a long answer counts less than a token of a short one. That is also true of wrong answers, which are pushed away.',
    'Two runs write numbers backwards for 30 steps, at a temperature of 1.5. At this temperature wrong answers are sometimes very long.',
  ],
  question: 'How long do answers become if the mean is taken answer by answer?',
  choices: [
    { id: 'longer', text: 'They stay longer than in the other run' },
    { id: 'shorter', text: 'They become shorter than in the other run' },
    { id: 'same', text: 'No clear difference' },
  ],
  task: 'reverse_digits',
  settings: { numSteps: 30, temperature: 1.5, maxTokens: 96, taskConfig: {} },
  arms: [
    { name: 'by answer', settings: { lossReduction: 'sequence_mean' } },
    { name: 'by token', settings: { lossReduction: 'batch_token_mean' } },
  ],
  charts: [
    chartOf('meanLength', 'mean', length, { title: 'Mean length', unit: 'tokens', shown: 'number' }),
    chartOf('maxLength', 'longest', longest, { title: 'Longest answer', unit: 'tokens', shown: 'number' }),
  ],
  find,
  why: [
    'Divided by its own length, a long wrong answer spreads one push over many tokens, so each of them is hardly discouraged. Long rambling costs nothing. The paper on Dr. GRPO shows how wrong answers grow longer and longer.',
    'Divided by all tokens, each token counts alike, and a long wrong answer is pushed away as a whole more than a short one.',
    'Here answers have about 23 tokens, so that the effect is small. In a run whose answers have thousands of tokens, it decides how the model develops.',
  ],
  document: 'losses.md',
};
