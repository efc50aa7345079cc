/** A loss and its gradient by log p on the device, from plain numbers. */
import * as tf from '../backend/tf.ts';
import { reduced } from '../loss/losses.ts';
import type { LossInputs, TokenLoss } from '../loss/inputs.ts';
import type { LossNumbers } from './lossReference.ts';

export interface EvaluatedLoss {
  readonly value: number;
  /** d loss / d log p [B, T]. */
  readonly gradient: number[][];
}

export async function evaluatedLoss(loss: TokenLoss, numbers: LossNumbers): Promise<EvaluatedLoss> {
  const grid = (name: keyof LossNumbers): tf.Tensor2D =>
    tf.tensor2d((numbers[name] ?? []).map((row) => [...row]));
  const held: Omit<LossInputs, 'logprob'> = {
    oldLogprob: grid('oldLogprob'),
    samplerLogprob: grid('samplerLogprob'),
    referenceLogprob: grid('referenceLogprob'),
    advantage: grid('advantage'),
    mask: grid('mask'),
    ...(numbers.kept && { kept: grid('kept') }),
  };
  const weights = grid('weights');
  const logprob = grid('logprob');
  const { value, grads } = tf.valueAndGrads((given: tf.Tensor) =>
    reduced(loss, { ...held, logprob: given as tf.Tensor2D }, weights),
  )([logprob]);
  const [gradient] = grads as [tf.Tensor2D];
  const [scalar = NaN] = await value.data();
  const rows = await gradient.array();
  tf.dispose([value, gradient, logprob, weights, ...Object.values(held)]);
  return { value: scalar, gradient: rows };
}
