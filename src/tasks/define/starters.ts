/** First runs that make sense without any download, and what to expect of them; tasks that are not here need a larger model. */
import type { StarterRun, TaskConfig } from './types.ts';

/** The bundled models of one family of tasks each, and the one that was shown the tasks of all of them. */
export const FAMILY_MODELS = ['starter-arithmetic', 'starter-words', 'starter-logic'] as const;
export const GYM_MODEL = 'starter-gym';
/** The models that saw only short problems: sums of the digits of few numbers, sums of few terms, and short lists to sort. */
export const SHORT_MODEL = 'starter-short';
export const SHORT_TERMS_MODEL = 'starter-short-terms';
export const SHORT_LISTS_MODEL = 'starter-short-lists';

type Seen = Pick<StarterRun, 'learns' | 'expect'>;

const asPercent = (share: string): string => `${Math.round(100 * Number(share))}%`;

/** A rise that was seen with every seed tried. */
const rises = (from: string, to: string, steps = 60): Seen => ({
  learns: true,
  expect: `Sampled accuracy rises from about ${asPercent(from)} to ${asPercent(to)} within ${steps} steps.`,
});
const UNCERTAIN: Seen = { learns: false, expect: '' };

const startWith =
  (model: string) =>
  (seen: Seen, config: TaskConfig): StarterRun => ({ model, config, ...seen });
const digits = startWith('starter');
const arithmetic = startWith(FAMILY_MODELS[0]);
const words = startWith(FAMILY_MODELS[1]);
const logic = startWith(FAMILY_MODELS[2]);
const gym = startWith(GYM_MODEL);

const SHORT_LISTS = { min_numbers: 3, max_numbers: 4, max_decimals: 0, min_value: 0, max_value: 99 };

/** The first runs by the name of their task. */
export const STARTERS: Readonly<Record<string, StarterRun>> = {
  sum_digits: digits(rises('0.55', '0.92', 560), {}),
  reverse_digits: digits(rises('0.48', '0.96', 150), {}),
  sum_digits_titan: digits(
    {
      learns: true,
      expect: `It begins with ${SHORT_MODEL}, which was shown sums of two and three numbers. Of four it gets 10% right with greedy decoding, and 93 to 97% after 75 steps.`,
    },
    {},
  ),

  rpn_arithmetic: {
    model: 'rpn-scratch',
    config: { max_complexity: 2 },
    learns: true,
    expect:
      'A model is made from nothing and warmed up on a few equations, which takes a quarter of a minute. How much it can do then, 0.08 to 0.30, depends on the seed. Accuracy rises by 0.2 to 0.4 within 400 steps.',
  },

  tinker_arithmetic: gym(rises('0.32', '0.80', 200), {}),
  simple_equations: arithmetic(rises('0.51', '0.83'), {
    max_terms: 2,
    max_value: 15,
    operators_weights: [0.5, 0.5, 0],
  }),
  base_conversion: arithmetic(rises('0.32', '0.49'), { max_base: 10, max_value: 99 }),
  basic_arithmetic: gym(rises('0.24', '0.55', 300), {
    min_terms: 3,
    max_terms: 3,
    max_digits: 1,
    operators: ['+', '-', '*'],
    allow_parentheses: false,
    allow_negation: false,
  }),
  chain_sum: gym(rises('0.33', '0.74', 200), { min_terms: 2, max_terms: 2, min_digits: 2, max_digits: 2 }),
  count_bits: arithmetic(rises('0.51', '0.98'), { max_n: 8191 }),
  fraction_simplification: arithmetic(rises('0.28', '0.58'), {
    max_value: 50,
    max_factor: 12,
    styles: ['plain'],
  }),
  gcd: gym(rises('0.26', '0.59', 250), { min_value: 2, max_value: 110 }),
  leg_counting: arithmetic(rises('0.35', '0.64'), { min_animals: 2, max_animals: 3, max_instances: 9 }),
  prime_factorization: arithmetic(UNCERTAIN, { max_value: 6000 }),
  products: arithmetic(rises('0.46', '0.86'), { min_digits: 2, max_digits: 2, allow_negation: true }),
  countdown: arithmetic(rises('0.43', '0.67'), {
    min_numbers: 3,
    max_numbers: 3,
    max_value: 20,
    min_target: 1,
    max_target: 60,
    operators: ['+', '-'],
    shuffle: false,
  }),
  number_sequence: arithmetic(UNCERTAIN, { min_terms: 5, max_complexity: 1 }),

  number_filtering: words(UNCERTAIN, SHORT_LISTS),
  number_sorting: gym(rises('0.22', '0.59', 300), SHORT_LISTS),
  rotate_matrix: words(rises('0.57', '0.98'), { max_n: 3, min_rotations: 1, max_rotations: 3 }),
  spiral_matrix: words(rises('0.51', '0.99'), { max_n: 3 }),
  caesar_cipher: gym(rises('0.08', '0.43', 300), {
    min_words: 3,
    max_words: 4,
    min_rotation: 3,
    max_rotation: 3,
  }),
  letter_counting: words(rises('0.29', '0.54'), { min_words: 3, max_words: 5 }),
  palindrome_generation: words(rises('0.31', '0.67'), { min_length: 4, max_length: 7 }),
  spell_backward: gym(rises('0.42', '0.94', 150), { min_word_len: 3, max_word_len: 7 }),
  string_insertion: gym(rises('0.26', '0.80', 250), { min_string_length: 6, max_string_length: 12 }),
  word_sequence_reversal: words(rises('0.46', '0.86'), { min_words: 3, max_words: 4 }),
  word_sorting: words(rises('0.37', '0.66'), {
    min_words: 3,
    max_words: 3,
    max_word_length: 5,
    transformation: 'lowercase',
  }),

  binary_alternation: logic(rises('0.50', '0.97'), { min_n: 10, max_n: 14 }),
  knights_knaves: logic(rises('0.49', '0.79'), {}),
  syllogism: logic(rises('0.44', '0.68'), { invalid_ratio: 0.5 }),
  isomorphic_strings: logic(rises('0.43', '0.66'), { min_string_length: 4, max_string_length: 6 }),
  ransom_note: logic(
    { learns: false, expect: 'In 60 steps accuracy went from about 0.47 to 0.71.' },
    { min_note_length: 2, max_note_length: 4, min_magazine_length: 4, max_magazine_length: 7 },
  ),
};
