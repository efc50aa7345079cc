/** Runs of small instruct models by LoRA, and the three that the page's first screen offers. These are the only settings of such runs. */
import type { RunConfig } from '../schema/schema.ts';
import type { Preset } from './preset.ts';

/**
 * A start for small instruct models: SmolLM2-135M-Instruct hardly moves at 1e-4, and learned sums in 20 steps of 32 answers at 4e-4. Answers
 * are short, because a CPU makes about a hundred tokens a second.
 */
export const instruct = (maxTokens: number): Partial<RunConfig> => ({
  numSteps: 40,
  problemsPerStep: 4,
  learningRate: 4e-4,
  warmupSteps: 3,
  advantageScale: 'group',
  removeConstantGroups: true,
  loraRank: 8,
  numGenerators: 1,
  maxTokens,
  evalSamples: 50,
  evalEvery: 20,
});

/** A preset of one task. Any other task gets its settings without those of the task. */
const showpiece = (
  task: string,
  summary: string,
  taskConfig: RunConfig['taskConfig'],
  changes: Partial<RunConfig> = {},
): Preset => ({
  summary: ({ loraRank, problemsPerStep, rolloutsPerProblem, numSteps }) =>
    `${summary} LoRA of rank ${loraRank}, ${problemsPerStep} × ${rolloutsPerProblem} answers a step, ${numSteps} steps.`,
  differences: [],
  task,
  original: null,
  values: (asked) => ({ ...instruct(64), ...changes, ...(asked === task && { taskConfig }) }),
});

export const SHOWPIECES = {
  'smollm2-instructions': showpiece(
    'instructions',
    'For SmolLM2-135M-Instruct: short requests with one constraint each.',
    {},
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
    { renderer: 'role_colon', maxTokens: 48 },
  ),
} as const;
