import * as z from 'zod';
import { whole, type ConfigOf } from '../../fields.ts';
import { pick, shuffled, uniformInt } from '../../../base/random.ts';
import { defineGymTask } from '../shared/define.ts';
import { rewrite, REWRITE_RULES } from './rewriteRules.ts';

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

function drawRewriting(draw: () => number, config: Config) {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const length = uniformInt(draw, config.min_string_length, config.max_string_length);
    const text = Array.from({ length }, () => pick(draw, LETTERS)).join('');
    const count = uniformInt(draw, config.min_num_rules, config.max_num_rules);
    const rules = shuffled(draw, REWRITE_RULES).slice(0, count);
    const states = rewrite(text, rules, MOST_STEPS);
    const solution = states?.at(-1) ?? '';
    if (states !== null && solution !== '') return { text, rules, states, solution };
  }
  throw new Error(
    `string_manipulation: none of ${MOST_ATTEMPTS} strings came to an end; one is needed. Allow other lengths or numbers of rules.`,
  );
}

/** A string to be rewritten by the first of some rules that applies, again and again. */
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
  metadata: z.looseObject({ states: z.array(z.string()).optional() }),
  ordered: [
    ['min_string_length', 'max_string_length'],
    ['min_num_rules', 'max_num_rules'],
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
  steps: ({ metadata: { states } }) => (states ?? []).join('\n'),
});
