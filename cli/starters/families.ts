/** The models of the other tasks: one a family, for every task whose first run names it. */
import { TASKS } from '../../src/tasks/index.ts';
import type { StarterRecipe } from './types.ts';

/** Printable ASCII, the newline, and the signs of logic and multiplication. */
const CHARACTERS = [...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)), '\n', ...'∧∨¬→↔×'];

function family(name: string, steps: number): StarterRecipe {
  const tasks = TASKS.filter(({ starter }) => starter?.model === name).map((task) => task.name);
  return {
    name,
    knows: `It knows ${tasks.length} tasks, each in the compact form that begins with the task's name. Some of its demonstrations lacked the \`<answer>\` tags, and two in five ended in a wrong answer after right steps.`,
    tasks,
    vocabulary: {
      characters: CHARACTERS,
      pieces: ['<answer>', '</answer>', 'Answer: ', ...tasks.map((task) => `${task} `)],
    },
    architecture: { hidden: 96, intermediate: 256, layers: 3, heads: 3, maxPositions: 512 },
    steps,
    batch: 96,
    learningRate: 2e-3,
    warmupSteps: 100,
    adam: { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 },
    microBatchTokens: 4096,
    positions: 256,
    maxTokens: 128,
    evalSamples: 300,
  };
}

export const FAMILIES: readonly StarterRecipe[] = [
  family('starter-arithmetic', 3000),
  family('starter-words', 2500),
  family('starter-logic', 2000),
];
