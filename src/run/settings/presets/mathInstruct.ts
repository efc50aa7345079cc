/** GSM8K and MATH for instruct models of half a billion to a billion weights, by LoRA. */
import { CUSTOM_PREFIX } from '@rl-playground/tasks/parts';
import type { Preset } from './preset.ts';

const GSM8K = 'gsm8k';

/** The published results of others, because no run of this size was made with this preset. */
const OTHERS = {
  gsm8k:
    'Others got from 36% to 54% with Qwen2.5-0.5B-Instruct (verl, GRPO with LoRA of rank 32), from 37% to 50% with Qwen2.5-0.5B (SimpleRL-Zoo), and from 25% to 50% after supervised steps. This preset’s own runs have not been measured.',
  math: 'Of MATH’s problems others got from 16% to 34% right with Qwen2.5-0.5B, and from 30% to 59% with Qwen2.5-1.5B (SimpleRL-Zoo). This preset’s own runs have not been measured.',
};

export const MATH_INSTRUCT_PRESET: Preset = {
  summary:
    'For a loaded instruct model of 0.5B to 1B weights, and GSM8K or rows of MATH with the grader Boxed: groups of 8 answers to 16 problems, LoRA of rank 32, a low learning rate, and room for the solution.',
  differences: [],
  original: null,
  values: (task) => ({
    numSteps: 100,
    problemsPerStep: 16,
    rolloutsPerProblem: 8,
    // Solutions of MATH are longer than those of primary school.
    maxTokens: task.startsWith(CUSTOM_PREFIX) ? 512 : 256,
    learningRate: 5e-5,
    warmupSteps: 5,
    advantageScale: 'group',
    removeConstantGroups: true,
    loraRank: 32,
    // Each generator holds a base of its own.
    numGenerators: 1,
    evalSamples: 100,
    evalEvery: 25,
    // The worked example teaches a base model the form; an instruct model is told it.
    ...(task === GSM8K && { taskConfig: { few_shot: false } }),
  }),
  others(task) {
    if (task === GSM8K) return OTHERS.gsm8k;
    return task.startsWith(CUSTOM_PREFIX) ? OTHERS.math : undefined;
  },
};
