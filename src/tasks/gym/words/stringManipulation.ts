import { pick, shuffled, uniformInt, type Draw } from '@rl-playground/base/random';
import { countOf } from '../../python/text.ts';
import { needed } from '../shared/attempts.ts';
import { defineGymTask, whole, type ConfigOf } from '../shared/define.ts';

interface RewriteRule {
  readonly words: string;
  /** The new string, or null if the rule does not apply. */
  readonly apply: (text: string) => string | null;
}

const starts = (part: string, words: string, change: (rest: string) => string): RewriteRule => ({
  words: `If the string starts with '${part}', ${words}.`,
  apply: (text) => (text.startsWith(part) ? change(text.slice(part.length)) : null),
});

const ends = (part: string, words: string, change: (rest: string) => string): RewriteRule => ({
  words: `If the string ends with '${part}', ${words}.`,
  apply: (text) => (text.endsWith(part) ? change(text.slice(0, -part.length)) : null),
});

const contains = (part: string, words: string, replacement: string): RewriteRule => ({
  words: `If the string contains '${part}', ${words}.`,
  apply: (text) => (text.includes(part) ? text.replace(part, replacement) : null),
});

/** The length beyond which strings lose their middle. */
const LONG = 15;

/** The twenty rules, for strings of `a`, `b` and `c`. */
export const REWRITE_RULES: readonly RewriteRule[] = [
  starts('ab', "put 'ca' in its place", (rest) => `ca${rest}`),
  ends('ac', "put 'cb' in its place", (rest) => `${rest}cb`),
  starts('bc', "remove it and add 'aa' at the end", (rest) => `${rest}aa`),
  ends('bb', 'remove it', (rest) => rest),
  starts(
    'cb',
    "put 'aa' in its place and remove the last of the characters that follow, if any do",
    (rest) => `aa${rest.slice(0, -1)}`,
  ),
  starts('ca', "put 'bb' in its place and add 'c' at the end", (rest) => `bb${rest}c`),
  ends('cc', "put 'b' in its place and add 'a' at the start", (rest) => `a${rest}b`),
  starts('aa', 'remove the first character', (rest) => `a${rest}`),
  contains('abc', "put 'cab' in place of its first occurrence", 'cab'),
  contains('bca', 'remove its first occurrence', ''),
  ends('ba', "put 'ab' in its place", (rest) => `${rest}ab`),
  starts('cc', 'remove these two characters', (rest) => rest),
  contains('acb', "put its reverse, 'bca', in place of its first occurrence", 'bca'),
  ends('ca', 'remove the last character', (rest) => `${rest}c`),
  starts('bb', 'remove the second character', (rest) => `b${rest}`),
  ends('aa', "put 'cc' in its place", (rest) => `${rest}cc`),
  {
    words:
      "If the string contains 'ca' anywhere behind its first character, remove the first such occurrence.",
    apply: (text) => (text.includes('ca', 1) ? text.slice(0, 1) + text.slice(1).replace('ca', '') : null),
  },
  {
    words: "If the string contains an even number of 'b's, and at least two, add 'ab' at the end.",
    apply: (text) => (countOf(text, 'b') > 0 && countOf(text, 'b') % 2 === 0 ? `${text}ab` : null),
  },
  {
    words: `If the string has more than ${LONG} characters, remove the one in the middle (of two in the middle, the second).`,
    apply: (text) =>
      text.length > LONG ? text.slice(0, text.length >> 1) + text.slice((text.length >> 1) + 1) : null,
  },
  starts('ac', "put 'zz' in its place", (rest) => `zz${rest}`),
];

/** The string and its changes by the first rule that applies, until it is stable or repeats; null if that takes more than `mostSteps`. */
export function rewrite(text: string, rules: readonly RewriteRule[], mostSteps: number): string[] | null {
  const states = [text];
  const seen = new Set(states);
  while (states.length <= mostSteps) {
    const last = states.at(-1) ?? '';
    const next = rules.find((rule) => rule.apply(last) !== null)?.apply(last);
    if (next === undefined || next === null || seen.has(next)) return states;
    states.push(next);
    seen.add(next);
  }
  return null;
}

const fields = {
  min_string_length: whole('Shortest string', 'Letters of the shortest strings.', 5, 500, 5),
  max_string_length: whole('Longest string', 'Letters of the longest strings.', 5, 500, 20),
  min_num_rules: whole('Fewest rules', 'Rules in the shortest lists.', 3, 20, 3),
  max_num_rules: whole('Most rules', 'Rules in the longest lists.', 3, 20, 8),
};
type Config = ConfigOf<typeof fields>;

const LETTERS = Array.from('abc');
/** A rewriting that goes on longer is drawn anew, and so is one that leaves nothing to answer with. */
const MOST_STEPS = 500;
const MOST_ATTEMPTS = 100;

function drawRewriting(draw: Draw, config: Config) {
  const error = `string_manipulation: none of ${MOST_ATTEMPTS} strings came to an end; one is needed. Allow other lengths or numbers of rules.`;
  return needed(MOST_ATTEMPTS, error, () => {
    const length = uniformInt(draw, config.min_string_length, config.max_string_length);
    const text = Array.from({ length }, () => pick(draw, LETTERS)).join('');
    const count = uniformInt(draw, config.min_num_rules, config.max_num_rules);
    const rules = shuffled(draw, REWRITE_RULES).slice(0, count);
    const states = rewrite(text, rules, MOST_STEPS);
    const solution = states?.at(-1) ?? '';
    return states !== null && solution !== '' ? { text, rules, states, solution } : null;
  });
}

export const stringManipulation = defineGymTask({
  name: 'string_manipulation',
  title: 'Rewrite a string',
  summary: 'Apply the first rule that fits to a string of a, b and c, again and again until none fits.',
  family: 'words',
  fields,
  levels: [
    { max_string_length: 6, max_num_rules: 3 },
    { max_string_length: 10, max_num_rules: 4 },
    { max_string_length: 15, max_num_rules: 6 },
    {},
    { min_string_length: 10, max_string_length: 50, min_num_rules: 5, max_num_rules: 15 },
  ],
  draw(draw, config) {
    const { text, rules, states, solution } = drawRewriting(draw, config);
    const list = rules.map(({ words }, i) => `${i + 1}. ${words}`).join('\n');
    return {
      question: `Change the string below again and again. Each time go through these rules in order and apply the first one that fits:\n${list}\n\nStop when no rule fits. Stop too when a change would lead back to a string that you have already had; that change is then undone, so the string before it counts. Answer with the string that you end with.\n\nString: ${text}`,
      answer: solution,
      data: {
        string: text,
        solution,
        states,
        selected_rules: rules.map(({ words }) => words),
        string_length: text.length,
        num_rules: rules.length,
      },
    };
  },
  steps: ({ data: { states } }) => states.join('\n'),
});
