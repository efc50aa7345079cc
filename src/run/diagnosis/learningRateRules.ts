/** Two rules of thumb for the learning rate, as the documents and the cookbook of Tinker give them. */

/**
 * The square-root rule (Tinker's documents, "RL hyperparameters": LR ∝ √batch size): a learning rate that is right for batches of
 * `from` answers, for batches of `to`.
 * @throws RangeError where a batch is not positive.
 */
export function squareRootRate(learningRate: number, from: number, to: number): number {
  if (!(from > 0 && to > 0))
    throw new RangeError(`The √batch rule needs two batches of at least 1 answer; found ${from} and ${to}.`);
  return learningRate * Math.sqrt(to / from);
}

export type ModelFamily = 'llama' | 'qwen';

/** The power of the model's width with which the best learning rate falls, by family. */
export const WIDTH_EXPONENT: Readonly<Record<ModelFamily, number>> = { llama: 0.781, qwen: 0.0775 };
export const BASE_RATE = 5e-5;
export const LORA_FACTOR = 10;
export const REFERENCE_WIDTH = 2000;

/**
 * `get_lr` of the Tinker cookbook (`hyperparam_utils.py`): 5e-5 · (2000 / hidden size)^e, ten times that with LoRA, whatever its rank. It
 * was fitted on models from one billion parameters up.
 * @throws RangeError where the hidden size is not positive.
 */
export function tinkerRate(model: {
  readonly family: ModelFamily;
  readonly hiddenSize: number;
  readonly lora: boolean;
}): number {
  const { family, hiddenSize, lora } = model;
  if (!(hiddenSize > 0))
    throw new RangeError(`The rule needs a hidden size of at least 1; found ${hiddenSize}.`);
  const base = BASE_RATE * (lora ? LORA_FACTOR : 1);
  return base * (REFERENCE_WIDTH / hiddenSize) ** WIDTH_EXPONENT[family];
}
