import type { StarterRecipe } from './types.ts';

/** The model of the two digit tasks: 153 thousand parameters. */
export const DIGITS: StarterRecipe = {
  name: 'starter',
  knows:
    'It knows the two digit tasks, in the compact form `sum 123 45 67` or `reverse 1234567`: half of its demonstrations lacked the `[ANSWER]` tag, and many ended in a wrong number after right steps.',
  tasks: ['sum_digits', 'reverse_digits'],
  vocabulary: {
    characters: [...'0123456789', ' ', '\n', ',', '+', '=', '-', '.', ':'],
    pieces: ['sum ', 'reverse ', ' + ', ' = ', '[ANSWER] ', 'Answer: '],
  },
  architecture: { hidden: 64, intermediate: 176, layers: 3, heads: 4, maxPositions: 512 },
  steps: 1200,
  batch: 64,
  learningRate: 3e-3,
  warmupSteps: 50,
  adam: { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 },
  microBatchTokens: 4096,
  positions: 160,
  maxTokens: 96,
  evalSamples: 500,
};
