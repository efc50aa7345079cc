/** Models that are made in the page when a run begins: their weights are random, their vocabulary is their task's. */
import type { RunConfig } from '../settings/schema/schema.ts';
import { createScratchModel, type ScratchRecipe, type LoadedModel } from '@rl-playground/engine/parts';
import { taskMix } from '../loop/taskMix.ts';
import { drawsFor } from '@rl-playground/base/random';
import { rpnArithmetic, rpnVocabularyOf } from '@rl-playground/tasks/parts';

type Wanted = Pick<RunConfig, 'task' | 'taskConfig' | 'mixture' | 'model' | 'seed'>;

/** Keeps the draws of first weights apart from every other stream of the same seed. */
const INITIAL_STREAM = 0x5c7a;

const RPN_WIDTHS = { hiddenSize: 128, heads: 4, mlpSize: 512, maxPositions: 256 } as const;
/** Near the size of simplexity's decoder: as many channels, heads and units, with one layer more. */
const RPN_SIZES = { ...RPN_WIDTHS, layers: 2, mlp: 'swiglu' } as const;
/** simplexity's decoder itself, but for its missing norms and its learned positions: one layer, ReLU, biases in the MLP alone. */
const RLVR_SIZES = { ...RPN_WIDTHS, layers: 1, mlp: 'relu' } as const;

/** Throws where the run asks anything that the vocabulary has no words for. */
function rpnRecipe(
  name: string,
  wanted: Wanted,
  sizes: Omit<ScratchRecipe, 'name' | 'vocabulary'>,
): ScratchRecipe {
  const vocabularies = taskMix(wanted).map(({ task, config }) => {
    if (task.name === rpnArithmetic.name) return rpnVocabularyOf(config).words;
    throw new Error(
      `The model ${name} has a vocabulary for ${rpnArithmetic.name} only, and the run uses ${task.name}. Choose the task ${rpnArithmetic.name}, or another model.`,
    );
  });
  const [words = []] = vocabularies;
  if (vocabularies.some((other) => other.join(' ') !== words.join(' ')))
    throw new Error(
      `The model ${name} has one vocabulary, and the parts of the mixture need several. Give all of them the same p and operators.`,
    );
  return { name, vocabulary: { words, bos: '<boe>', eos: '<eoe>', pad: '<pad>' }, ...sizes };
}

const RECIPES: Readonly<Record<string, (name: string, wanted: Wanted) => ScratchRecipe>> = {
  'rpn-scratch': (name, wanted) => rpnRecipe(name, wanted, RPN_SIZES),
  'rlvr-scratch': (name, wanted) => rpnRecipe(name, wanted, RLVR_SIZES),
};

export const SCRATCH_MODELS: readonly string[] = Object.keys(RECIPES);

export function isScratchModel(name: string): boolean {
  return Object.hasOwn(RECIPES, name);
}

/** The recipe of one of `SCRATCH_MODELS` for a run. Throws where the model can't learn what the run asks. */
function recipeOf(wanted: Wanted): ScratchRecipe {
  const recipe = isScratchModel(wanted.model) ? RECIPES[wanted.model] : undefined;
  if (recipe === undefined)
    throw new Error(`There is no model ${wanted.model} to be made; there is ${SCRATCH_MODELS.join(', ')}.`);
  return recipe(wanted.model, wanted);
}

/** Two runs that begin from the very same weights have the same key. */
export function scratchKey(wanted: Wanted): string {
  return JSON.stringify([recipeOf(wanted), wanted.seed]);
}

/** A fresh model for a run; the same settings give the same weights. */
export function makeScratchModel(wanted: Wanted): Promise<LoadedModel> {
  return createScratchModel(recipeOf(wanted), drawsFor(wanted.seed, INITIAL_STREAM));
}
