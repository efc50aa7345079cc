/** The recipes from which `npm run lab -- pretrain` makes each starter model. */
import {
  TASKS,
  FAMILY_MODELS,
  GYM_MODEL,
  SHORT_LISTS_MODEL,
  SHORT_MODEL,
  SHORT_TERMS_MODEL,
  type TaskConfig,
} from '@rl-playground/tasks/parts';
import type { Vocabulary } from './tokenizer.ts';

/** A task that a model is shown, and its share beside the others. */
export interface Demonstrated {
  readonly task: string;
  readonly share: number;
  /** Changes the settings of the task's first run. */
  readonly config?: TaskConfig;
}

export interface StarterRecipe {
  /** The folder under `public/models`. */
  readonly name: string;
  /** One sentence for the model card about what the model knows. */
  readonly knows: string;
  readonly shown: readonly Demonstrated[];
  readonly vocabulary: Vocabulary;
  /** A Llama block's sizes. */
  readonly architecture: {
    readonly hidden: number;
    readonly intermediate: number;
    readonly layers: number;
    readonly heads: number;
    readonly maxPositions: number;
  };
  /** The updates over which the learning rate falls to 0. */
  readonly steps: number;
  /** The number of updates after which the model is left, still unsure; all of them by default. */
  readonly stopAfter?: number;
  /**
   * The greedy accuracy from which a task is shown less, until it falls below again, so that no task is known by heart while others have
   * hardly begun; null leaves shares unchanged.
   */
  readonly enough: number | null;
  /** Demonstrations per step. */
  readonly batch: number;
  readonly learningRate: number;
  readonly warmupSteps: number;
  readonly adam: {
    readonly beta1: number;
    readonly beta2: number;
    readonly epsilon: number;
    readonly weightDecay: number;
    readonly clipNorm: number;
  };
  readonly microBatchTokens: number;
  /** The longest prompt plus answer, padded. */
  readonly positions: number;
  readonly maxTokens: number;
  readonly evalSamples: number;
}

/** The model of the two digit tasks: 153 thousand parameters. */
const DIGITS: StarterRecipe = {
  name: 'starter',
  knows:
    'It was shown two digit tasks, in the compact form `sum 123 45 67` or `reverse 1234567`, for as long as makes it able but unsure: every demonstration was right, half of them lacked the `[ANSWER]` tag, and one sum in thirty had more than two numbers, none more than four, and no number to reverse had fewer than six or more than seven digits.',
  shown: [
    { task: 'sum_digits', share: 0.67, config: { max_numbers: 2 } },
    { task: 'sum_digits', share: 0.008, config: { min_numbers: 3, max_numbers: 3 } },
    { task: 'sum_digits', share: 0.016, config: { min_numbers: 4 } },
    { task: 'reverse_digits', share: 0.028, config: { max_digits: 6 } },
    { task: 'reverse_digits', share: 0.019, config: { min_digits: 7 } },
  ],
  vocabulary: {
    characters: [...'0123456789', ' ', '\n', ',', '+', '=', '-', '.', ':'],
    pieces: ['sum ', 'reverse ', ' + ', ' = ', '[ANSWER] ', 'Answer: '],
  },
  architecture: { hidden: 64, intermediate: 176, layers: 3, heads: 4, maxPositions: 512 },
  steps: 615,
  enough: null,
  batch: 64,
  learningRate: 3e-3,
  warmupSteps: 50,
  adam: { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 },
  microBatchTokens: 4096,
  positions: 160,
  maxTokens: 96,
  evalSamples: 500,
};

const TITAN_SHARE = 0.7;

/** The model that is shown only sums of two and three numbers, and goes on to more by reinforcement. It is as large as that of the digit tasks. */
const SHORT_SUMS: StarterRecipe = {
  ...DIGITS,
  name: SHORT_MODEL,
  knows:
    'It was shown sums of the digits of two and of three numbers, never of more, in the compact form `sum 123 45 67`: numbers up to 999 (`sum_digits`), so nine digits at most, and up to 99 (`sum_digits_titan`). Every demonstration was right, half of them lacked the `[ANSWER]` tag. The problems below have two to four numbers.',
  shown: [
    { task: 'sum_digits', share: 1, config: { min_numbers: 2, max_numbers: 2 } },
    { task: 'sum_digits', share: 1, config: { min_numbers: 3, max_numbers: 3 } },
    { task: 'sum_digits_titan', share: TITAN_SHARE, config: { min_numbers: 2, max_numbers: 2 } },
    { task: 'sum_digits_titan', share: TITAN_SHARE, config: { min_numbers: 3, max_numbers: 3 } },
  ],
  steps: 450,
  stopAfter: 350,
  evalSamples: 100,
};

/** Sums of so many terms of so many digits. */
const terms = (count: number, digits: number, share: number): Demonstrated => ({
  task: 'chain_sum',
  share,
  config: { min_terms: count, max_terms: count, min_digits: digits, max_digits: digits },
});

/**
 * A similar model for sums and differences of whole numbers. Long terms are shown beside short ones, so that more short ones are no
 * longer text than was shown.
 */
const SHORT_TERMS: StarterRecipe = {
  ...DIGITS,
  name: SHORT_TERMS_MODEL,
  knows:
    'It was shown sums and differences of two and of three numbers of one to three digits, never of more, in the compact form `chain_sum 12 + 7 - 5`. Every demonstration was right and worked in columns, some of them lacked the `<answer>` tags. The problems below have two numbers of two digits.',
  shown: [2, 3].flatMap((count) => [terms(count, 1, 1), terms(count, 2, 0.8), terms(count, 3, 0.5)]),
  vocabulary: {
    characters: [...'0123456789', ' ', '\n', ',', '+', '=', '-', ':', '*', '(', ')', '/'],
    pieces: ['<answer>', '</answer>', 'Answer: ', 'chain_sum ', ' + ', ' - ', ' = ', ' so ', ': '],
  },
  steps: 700,
  positions: 224,
  maxTokens: 160,
  evalSamples: 100,
};

/** Lists of so many whole numbers. */
const lists = (count: number, low: number, high: number, share: number): Demonstrated => ({
  task: 'number_sorting',
  share,
  config: { min_numbers: count, max_numbers: count, max_decimals: 0, min_value: low, max_value: high },
});

/** A similar model for lists to sort, of short and of long numbers. */
const SHORT_LISTS: StarterRecipe = {
  ...SHORT_TERMS,
  name: SHORT_LISTS_MODEL,
  knows:
    'It was shown lists of two, three and four whole numbers of one to three digits to sort, never of more, in the compact form `number_sorting ascending: 12 7 5`. Every demonstration was right and put one number after the other in its place, some of them lacked the `<answer>` tags. The problems below have three and four numbers up to 99.',
  shown: [2, 3, 4].flatMap((count) => [
    lists(count, 0, 9, 0.7),
    lists(count, 0, 99, 1),
    lists(count, 100, 999, 0.5),
  ]),
  vocabulary: {
    characters: [...'0123456789', ' ', '\n', ':', ',', '[', ']', "'"],
    pieces: [
      '<answer>',
      '</answer>',
      'Answer: ',
      'number_sorting ascending: ',
      'number_sorting descending: ',
      "['",
      "', '",
      "']",
    ],
  },
  steps: 800,
};

/** Printable ASCII, the newline, and the signs of logic and multiplication. */
const CHARACTERS = [...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)), '\n', ...'∧∨¬→↔×'];

/** Every task whose first run begins with this model, or with one of the models of a single family, which were made before it. */
const GYM_TASKS = TASKS.filter(({ starter }) =>
  [GYM_MODEL, ...FAMILY_MODELS].some((model) => model === starter?.model),
).map(({ name }) => name);

/** The model of arithmetic, words and logic: 350 thousand parameters. */
const GYM: StarterRecipe = {
  name: GYM_MODEL,
  knows: `It knows ${GYM_TASKS.length} tasks of arithmetic, words and logic, each in the compact form that begins with the task's name. It was shown right answers for as long as makes it able but unsure; some of them lacked the \`<answer>\` tags.`,
  shown: GYM_TASKS.map((task) => ({ task, share: 1 })),
  vocabulary: {
    characters: CHARACTERS,
    pieces: ['<answer>', '</answer>', 'Answer: ', ...GYM_TASKS.map((task) => `${task} `)],
  },
  architecture: { hidden: 96, intermediate: 256, layers: 3, heads: 3, maxPositions: 512 },
  steps: 2000,
  enough: 0.5,
  batch: 96,
  learningRate: 2e-3,
  warmupSteps: 100,
  adam: { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 },
  microBatchTokens: 4096,
  positions: 256,
  maxTokens: 128,
  evalSamples: 300,
};

/** The starter models. The first is built if none is named. */
export const RECIPES: readonly [StarterRecipe, ...StarterRecipe[]] = [
  DIGITS,
  GYM,
  SHORT_SUMS,
  SHORT_TERMS,
  SHORT_LISTS,
];
