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

/** A rise that was seen with every seed tried. */
const rises = (from: number, to: number, steps = 60, further = ''): Seen => ({
  learns: true,
  expect: `Sampled accuracy rises from about ${from}% to ${to}% within ${steps} steps${further}.`,
});
/** The same, where the greedy answers are surely right less often in the end. */
const steadier = (sampled: readonly [number, number], greedy: readonly [number, number]): Seen =>
  rises(...sampled, 60, `, while greedy accuracy falls from ${greedy[0]}% to ${greedy[1]}%`);
const UNCERTAIN: Seen = { learns: false, expect: '' };
/** A run that was seen to learn something else, or nothing. */
const instead = (expect: string): Seen => ({ learns: false, expect });

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
  sum_digits: digits(rises(55, 92, 560), {}),
  reverse_digits: digits(rises(48, 96, 150), {}),
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
      'A model is made from nothing and warmed up on a few equations, which takes a quarter of a minute. How much it can do then, 8 to 30% right, depends on the seed. Sampled accuracy rises by 20 to 43 points within 400 steps.',
  },

  tinker_arithmetic: gym(rises(32, 80, 200), {}),
  simple_equations: arithmetic(steadier([51, 83], [100, 89]), {
    max_terms: 2,
    max_value: 15,
    operators_weights: [0.5, 0.5, 0],
  }),
  base_conversion: arithmetic(steadier([32, 49], [79, 65]), { max_base: 10, max_value: 99 }),
  basic_arithmetic: gym(rises(24, 55, 300), {
    min_terms: 3,
    max_terms: 3,
    max_digits: 1,
    operators: ['+', '-', '*'],
    allow_parentheses: false,
    allow_negation: false,
  }),
  chain_sum: gym(rises(33, 74, 200), { min_terms: 2, max_terms: 2, min_digits: 2, max_digits: 2 }),
  count_bits: arithmetic(rises(51, 98), { max_n: 8191 }),
  fraction_simplification: arithmetic(steadier([28, 58], [69, 62]), {
    max_value: 50,
    max_factor: 12,
    styles: ['plain'],
  }),
  gcd: gym(
    instead(
      'So it finds a shortcut: sampled accuracy rises from about 26% to 59% within 250 steps, by guessing 1 or 2 after working that is wrong in nearly all right answers.',
    ),
    { min_value: 2, max_value: 110 },
  ),
  leg_counting: arithmetic(steadier([35, 64], [83, 68]), {
    min_animals: 2,
    max_animals: 3,
    max_instances: 9,
  }),
  prime_factorization: arithmetic(UNCERTAIN, { max_value: 6000 }),
  products: arithmetic(steadier([46, 86], [99, 94]), { min_digits: 2, max_digits: 2, allow_negation: true }),
  countdown: arithmetic(
    instead(
      'In 60 steps sampled accuracy went from about 50% to 59%, greedy accuracy from 85% to 61%, and pass@8 from 96% to 74%.',
    ),
    {
      min_numbers: 3,
      max_numbers: 3,
      max_value: 20,
      min_target: 1,
      max_target: 60,
      operators: ['+', '-'],
      shuffle: false,
    },
  ),
  number_sequence: arithmetic(UNCERTAIN, { min_terms: 5, max_complexity: 1 }),

  number_filtering: words(
    instead(
      'So it finds a shortcut: in 60 steps sampled accuracy went from about 4% to 11%, with wrong working in every right answer.',
    ),
    SHORT_LISTS,
  ),
  number_sorting: gym(rises(22, 59, 300), SHORT_LISTS),
  rotate_matrix: words(rises(57, 98), { max_n: 3, min_rotations: 1, max_rotations: 3 }),
  spiral_matrix: words(rises(51, 99), { max_n: 3 }),
  caesar_cipher: gym(rises(8, 43, 300), {
    min_words: 3,
    max_words: 4,
    min_rotation: 3,
    max_rotation: 3,
  }),
  letter_counting: words(
    instead(
      'So it finds a shortcut: sampled accuracy rises from about 29% to 54% within 60 steps, with wrong working in three of four right answers, and pass@8 falls from 84% to 55%.',
    ),
    { min_words: 3, max_words: 5 },
  ),
  palindrome_generation: words(rises(31, 67), { min_length: 4, max_length: 7 }),
  spell_backward: gym(rises(42, 94, 150), { min_word_len: 3, max_word_len: 7 }),
  string_insertion: gym(rises(26, 80, 250), { min_string_length: 6, max_string_length: 12 }),
  word_sequence_reversal: words(rises(46, 86), { min_words: 3, max_words: 4 }),
  word_sorting: words(rises(37, 66), {
    min_words: 3,
    max_words: 3,
    max_word_length: 5,
    transformation: 'lowercase',
  }),

  binary_alternation: logic(rises(50, 97), { min_n: 10, max_n: 14 }),
  knights_knaves: logic(rises(49, 79), {}),
  syllogism: logic(
    instead(
      'So it finds a shortcut: sampled accuracy rises from about 44% to 68% within 60 steps, with wrong working in three of four right answers, and pass@8 falls from 99% to 89%.',
    ),
    { invalid_ratio: 0.5 },
  ),
  isomorphic_strings: logic(
    instead(
      'So it finds a shortcut: sampled accuracy rises from about 43% to 66% within 60 steps, with wrong working in nearly all right answers, and greedy accuracy falls from 80% to 67%.',
    ),
    { min_string_length: 4, max_string_length: 6 },
  ),
  ransom_note: logic(
    instead(
      'In 60 steps sampled accuracy went from about 47% to 71%, and in one run greedy accuracy from 96% to 87%.',
    ),
    { min_note_length: 2, max_note_length: 4, min_magazine_length: 4, max_magazine_length: 7 },
  ),
};
