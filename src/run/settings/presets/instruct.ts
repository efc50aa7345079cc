/** Runs of small instruct models by LoRA, and the three that the page's first screen offers. These are the only settings of such runs. */
import type { RunConfig } from '../schema/schema.ts';
import type { Preset } from './preset.ts';

/**
 * A start for small instruct models: SmolLM2-135M-Instruct hardly moves at 1e-4, and at 4e-4 it learned sums in 20 steps of 32 answers and
 * instructions in 30. Answers are short, because a CPU makes about two hundred tokens a second.
 */
export const instruct = (maxTokens: number): Partial<RunConfig> => ({
  numSteps: 30,
  problemsPerStep: 4,
  learningRate: 4e-4,
  warmupSteps: 3,
  advantageScale: 'group',
  removeConstantGroups: true,
  loraRank: 8,
  numGenerators: 1,
  maxTokens,
  evalSamples: 50,
  evalEvery: 15,
});

/** A preset of one task. Any other task gets its settings without those of the task. */
const showpiece = (
  task: string,
  summary: string,
  taskConfig: RunConfig['taskConfig'],
  changes: Partial<RunConfig> = {},
  measured = '',
): Preset => ({
  summary: ({ loraRank, problemsPerStep, rolloutsPerProblem, numSteps }) =>
    `${summary} LoRA of rank ${loraRank}, ${problemsPerStep} × ${rolloutsPerProblem} answers a step, ${numSteps} steps.`,
  differences: [],
  task,
  original: null,
  ...(measured !== '' && { others: (asked) => (asked === task ? measured : undefined) }),
  values: (asked) => ({ ...instruct(64), ...changes, ...(asked === task && { taskConfig }) }),
});

export const SHOWPIECES = {
  'smollm2-instructions': showpiece(
    'instructions',
    'For SmolLM2-135M-Instruct: short requests with one constraint each.',
    {},
    {},
    'Three runs took the greedy accuracy of SmolLM2-135M-Instruct on held-out requests from 45% to 69%, 81% and 84%, in 13 to 16 minutes on two CPU cores.',
  ),
  'smollm2-one-sentence': showpiece(
    'instructions',
    'For SmolLM2-135M-Instruct: questions to be answered in one sentence of at least four words.',
    { kinds: ['one_sentence'], min_words: 4 },
  ),
  'gemma3-json': showpiece(
    'format_follow',
    'For Gemma 3 270M, a base model without a chat template: JSON with one or two given keys, behind two worked examples.',
    { few_shot: true },
    { renderer: 'role_colon', maxTokens: 48, numSteps: 20, evalEvery: 10 },
    'Three runs took the greedy accuracy of Gemma 3 270M on held-out requests from 57% to 87%, 90% and 100%, in 6 to 7 minutes on two CPU cores.',
  ),
} as const;
