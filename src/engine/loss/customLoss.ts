/** Losses that the caller writes: differentiable functions of the log-probabilities of a whole batch. */
import * as tf from '../backend/tf.ts';
import type { Sequence, TokenValues } from './sequence.ts';
import type { LossInputs } from './inputs.ts';

/**
 * A function over [B, T] arrays: B sequences in the order in which they were given, T the longest completion. Entries beyond a
 * completion's end are 0, and so is the mask there. The result is the loss to be minimized.
 */
export type CustomLoss = (inputs: CustomLossInputs) => tf.Scalar;

export interface CustomLossInputs extends Omit<LossInputs, 'kept'> {
  /** The entropy of the policy at each completion token, in nats. The gradient passes through it. */
  readonly entropy: tf.Tensor2D;
}

/**
 * Returns the loss, d loss / d log p at each completion token of each sequence, and d loss / d entropy, or null if the function does not
 * read the entropies. `values` are those of the policy; `oldLogprobs` replace p_old in every sequence.
 *
 * @throws Error if the function reads an array that a sequence lacks, returns no scalar, or returns one that is not finite or has no
 * finite gradient.
 */
export async function customGradients(
  sequences: readonly Sequence[],
  values: TokenValues,
  loss: CustomLoss,
  oldLogprobs: readonly ArrayLike<number>[] | null = null,
): Promise<{ value: number; gradients: Float32Array[]; entropyGradients: Float32Array[] | null }> {
  const length = Math.max(...sequences.map(({ tokens }) => tokens.length));
  const shape: [number, number] = [sequences.length, length];
  const grid = (rowOf: (sequence: Sequence, index: number) => ArrayLike<number>): tf.Tensor2D => {
    const values = new Float32Array(sequences.length * length);
    sequences.forEach((sequence, i) => values.set(Array.from(rowOf(sequence, i)), i * length));
    return tf.tensor2d(values, shape);
  };
  const held = {
    samplerLogprob: grid(({ samplerLogprobs }) => samplerLogprobs),
    oldLogprob: grid((sequence, i) => oldLogprobs?.[i] ?? sequence.oldLogprobs ?? sequence.samplerLogprobs),
    referenceLogprob: grid(({ referenceLogprobs }) => referenceLogprobs ?? []),
    advantage: grid(({ advantages }) => advantages),
    mask: grid(({ tokens, masked }) => Array.from(tokens, () => (masked === true ? 0 : 1))),
  };
  const logprob = grid((_, i) => values.logprobs[i] ?? []);
  const entropy = grid((_, i) => values.entropies[i] ?? []);
  const rowsOf = (all: Float32Array): Float32Array[] =>
    sequences.map(({ tokens }, i) => all.slice(i * length, i * length + tokens.length));
  try {
    const { value, byLogprob, byEntropy } = derivatives(
      () => asScalar(loss(onlyGiven({ ...held, logprob, entropy }, sequences, oldLogprobs !== null))),
      logprob,
      entropy,
    );
    const [[scalar = NaN], dlogprob, dentropy] = await Promise.all([
      value.data<'float32'>(),
      byLogprob?.data<'float32'>() ?? new Float32Array(sequences.length * length),
      byEntropy?.data<'float32'>() ?? null,
    ]);
    tf.dispose([value, ...(byLogprob ? [byLogprob] : []), ...(byEntropy ? [byEntropy] : [])]);
    const gradients = rowsOf(dlogprob);
    const entropyGradients = dentropy && rowsOf(dentropy);
    checkFinite(scalar, gradients, 'log-probability');
    if (entropyGradients) checkFinite(scalar, entropyGradients, 'entropy');
    return { value: scalar, gradients, entropyGradients };
  } finally {
    tf.dispose([logprob, entropy, ...Object.values(held)]);
  }
}

/**
 * Returns the derivatives, with null for an input that the value does not depend on. @throws Error if it depends on neither, in place of
 * tfjs' own message.
 */
function derivatives(
  loss: () => tf.Scalar,
  logprob: tf.Tensor2D,
  entropy: tf.Tensor2D,
): { value: tf.Tensor; byLogprob: tf.Tensor | null; byEntropy: tf.Tensor | null } {
  try {
    const { value, grads } = tf.engine().tidy(() => tf.engine().gradients(loss, [logprob, entropy]));
    const [byLogprob = null, byEntropy = null] = grads as (tf.Tensor | undefined)[];
    return { value, byLogprob, byEntropy };
  } catch (error) {
    forgetTape();
    if (!(error instanceof Error && error.message.startsWith('Cannot compute gradient of y=f(x)')))
      throw error;
    throw new Error(
      'What the loss function returned does not depend on logprob, so there is nothing to learn from it; compute it from logprob or entropy, in tensors.',
      { cause: error },
    );
  }
}

/** Disposes of the tensors that tfjs kept for a backward pass that did not come. They would never be freed otherwise. */
function forgetTape(): void {
  const { state } = tf.engine();
  for (const { saved } of state.activeTape ?? []) if (saved) tf.dispose(saved);
  state.activeTape = [];
}

/**
 * Returns inputs that throw when an array is read that some sequence lacks. It would be read as zeros: a sampler that was always sure, or
 * no advantage anywhere.
 */
function onlyGiven(
  inputs: CustomLossInputs,
  sequences: readonly Sequence[],
  ownOld: boolean,
): CustomLossInputs {
  const read = (
    input: keyof CustomLossInputs,
    name: 'advantages' | 'samplerLogprobs' | 'referenceLogprobs',
    valuesOf: (sequence: Sequence) => ArrayLike<number> | undefined,
  ): tf.Tensor2D => {
    const lacking = sequences.findIndex((sequence) => (valuesOf(sequence)?.length ?? 0) === 0);
    if (lacking < 0) return inputs[input];
    throw new Error(
      `The loss function reads ${input}, but sequence ${lacking} has no ${name}; pass one for each token of the completion.`,
    );
  };
  return {
    logprob: inputs.logprob,
    entropy: inputs.entropy,
    mask: inputs.mask,
    get advantage() {
      return read('advantage', 'advantages', ({ advantages }) => advantages);
    },
    get samplerLogprob() {
      return read('samplerLogprob', 'samplerLogprobs', ({ samplerLogprobs }) => samplerLogprobs);
    },
    get oldLogprob() {
      if (ownOld) return inputs.oldLogprob;
      return read(
        'oldLogprob',
        'samplerLogprobs',
        ({ oldLogprobs, samplerLogprobs }) => oldLogprobs ?? samplerLogprobs,
      );
    },
    get referenceLogprob() {
      return read('referenceLogprob', 'referenceLogprobs', ({ referenceLogprobs }) => referenceLogprobs);
    },
  };
}

/** Checks the result of the caller's function, which may be anything, whatever its type says. */
function asScalar(returned: unknown): tf.Scalar {
  const tensor: tf.Tensor | null = returned instanceof tf.Tensor ? returned : null;
  if (tensor?.size === 1) return tf.reshape(tensor, []);
  throw new Error(
    `The loss function returned ${tensor ? `a tensor of shape [${tensor.shape.join(', ')}]` : described(returned)}; ` +
      'it must return a scalar tensor, at once: the sum or mean of its terms.',
  );
}

function described(value: unknown): string {
  if (value instanceof Promise) return 'a promise';
  return typeof value === 'number' ? `the number ${value}` : `something else (${typeof value})`;
}

function checkFinite(
  value: number,
  gradients: readonly Float32Array[],
  by: 'log-probability' | 'entropy',
): void {
  if (!Number.isFinite(value))
    throw new Error(`The loss function returned ${value}; the loss must be a finite number.`);
  gradients.forEach((row, index) => {
    const at = row.findIndex((derivative) => !Number.isFinite(derivative));
    if (at >= 0)
      throw new Error(
        `The loss function's derivative by the ${by} of token ${at} of sequence ${index} is ${row[at]}; it must be a finite number.`,
      );
  });
}
