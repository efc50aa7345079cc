/** Losses of a person's own: any differentiable function of the log-probabilities of a whole batch. */
import * as tf from '../backend/tf.ts';
import type { Sequence } from './batch.ts';
import type { LossInputs } from './losses.ts';

/**
 * Over [B, T]: B sequences in the order in which they were given, T the longest completion; entries beyond a completion's end are 0, and so
 * is the mask there. Returns the loss to be made smaller.
 */
export type CustomLoss = (inputs: LossInputs) => tf.Scalar;

/** The loss, and d loss / d log p at each completion token of each sequence. */
export async function customGradients(
  sequences: readonly Sequence[],
  logprobs: readonly ArrayLike<number>[],
  loss: CustomLoss,
): Promise<{ value: number; gradients: Float32Array[] }> {
  const length = Math.max(...sequences.map(({ tokens }) => tokens.length));
  const shape: [number, number] = [sequences.length, length];
  const grid = (rowOf: (sequence: Sequence, index: number) => ArrayLike<number>): tf.Tensor2D => {
    const values = new Float32Array(sequences.length * length);
    sequences.forEach((sequence, i) => values.set(Array.from(rowOf(sequence, i)), i * length));
    return tf.tensor2d(values, shape);
  };
  const held = {
    samplerLogprob: grid(({ samplerLogprobs }) => samplerLogprobs),
    oldLogprob: grid(({ oldLogprobs, samplerLogprobs }) => oldLogprobs ?? samplerLogprobs),
    referenceLogprob: grid(({ referenceLogprobs }) => referenceLogprobs ?? []),
    advantage: grid(({ advantages }) => advantages),
    mask: grid(({ tokens, masked }) => tokens.map(() => (masked === true ? 0 : 1))),
  };
  const given = grid((_, i) => logprobs[i] ?? []);
  const { value, grads } = tf.valueAndGrads((logprob: tf.Tensor) =>
    loss({ ...held, logprob: logprob as tf.Tensor2D }),
  )([given]);
  const [gradient] = grads as [tf.Tensor];
  const [[scalar = NaN], all] = await Promise.all([value.data<'float32'>(), gradient.data<'float32'>()]);
  tf.dispose([value, gradient, given, ...Object.values(held)]);
  const gradients = sequences.map(({ tokens }, i) => all.slice(i * length, i * length + tokens.length));
  return { value: scalar, gradients };
}
