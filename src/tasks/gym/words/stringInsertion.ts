import { readPythonLiteral } from '../../python/literal.ts';
import { stripSpace } from '../../python/text.ts';
import { joinText } from '../../python/value.ts';
import { pick, uniformInt } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';
import { MOST_READ } from '../shared/scoring.ts';

const LETTERS = Array.from('ABCDE');
/** The letter to insert behind each run of four. */
const INSERTIONS: readonly (readonly [run: string, letter: string])[] = [
  ['ABCD', 'A'],
  ['BCDE', 'B'],
  ['CDEA', 'C'],
  ['DEAB', 'D'],
  ['EABC', 'E'],
];

/** The string in pieces: single letters, and runs with the letter behind them. */
function pieces(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length;) {
    const insertion = INSERTIONS.find(([run]) => text.startsWith(run, at));
    found.push(insertion?.join('') ?? text.charAt(at));
    at += insertion?.[0].length ?? 1;
  }
  return found;
}

/**
 * Says whether Python's `"".join(eval(candidate))` is the truth. It reads literals, and the name under which upstream's expression would
 * find the truth.
 */
function joinsTo(candidate: string, truth: string): boolean {
  if (candidate.length > MOST_READ) return false;
  if (stripSpace(candidate) === 'oracle_answer') return true;
  try {
    return joinText(readPythonLiteral(candidate)) === truth;
  } catch {
    return false;
  }
}

export const stringInsertion = defineGymTask({
  name: 'string_insertion',
  title: 'Insert letters',
  summary: 'Insert a letter behind each run of four neighbouring letters of the alphabet A to E.',
  family: 'words',
  fields: {
    min_string_length: whole('Shortest string', 'Letters of the shortest strings.', 5, 1000, 5),
    max_string_length: whole('Longest string', 'Letters of the longest strings.', 5, 1000, 20),
  },
  levels: [
    { max_string_length: 6 },
    { max_string_length: 10 },
    { max_string_length: 15 },
    {},
    { min_string_length: 10, max_string_length: 50 },
  ],
  draw(draw, { min_string_length, max_string_length }) {
    const length = uniformInt(draw, min_string_length, max_string_length);
    const text = Array.from({ length }, () => pick(draw, LETTERS)).join('');
    const rules = INSERTIONS.map(([run, letter]) => `- behind ${run} insert ${letter}`).join('\n');
    const solution = pieces(text).join('');
    return {
      question: `Read the string below from left to right and insert letters by these rules:\n${rules}\n\nAfter an insertion go on behind the inserted letter: neither it nor the four letters before it belong to a further run. Answer with the whole new string.\n\nString: ${text}`,
      compact: `string_insertion ${text}`,
      key: text,
      answer: solution,
      data: { string: text, solution, string_length: length },
    };
  },
  scoreAnswer(candidate, { answer }, mode) {
    if (mode === 'strict') return stripSpace(candidate) === answer ? 1 : 0;
    return candidate === answer ? 1 : joinsTo(candidate, answer) ? 0.1 : 0;
  },
  steps: ({ data: { string } }) => pieces(string).join(' '),
});
