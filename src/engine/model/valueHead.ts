/**
 * A critic on the policy's own trunk: V_t = w · h_t + b, a number for each position, from the state that the logits come from (after the
 * final norm). Its gradient goes on into the trunk. It is no part of the language model: generators and exports do not have it.
 */
import * as tf from '../backend/tf.ts';
import { addColumnSums, gemm, gemmInto } from '../kernels/index.ts';
import type { Slice } from '../kernels/shared/slice.ts';
import { alignedLength, type HuggingFaceSpec } from './parameters.ts';
import { Pool, requiredTensor, type NamedValues, type WeightArrays } from './weights.ts';

/** The names of TRL's value head, and the shapes of a linear map to one number. */
const WEIGHT = 'v_head.summary.weight';
const BIAS = 'v_head.summary.bias';

export function valueHeadSpecs(hiddenSize: number): HuggingFaceSpec[] {
  return [
    { name: WEIGHT, shape: [1, hiddenSize] },
    { name: BIAS, shape: [1] },
  ];
}

/** Weight [1, D] and bias [1] of a value head in one tensor, or gradients of them; zeros unless values are given. */
export class ValueHead extends Pool {
  readonly hiddenSize: number;

  /** `packed` is a result of `pack`. @throws Error for another length. */
  constructor(hiddenSize: number, packed: Float32Array | null = null) {
    const length = alignedLength(hiddenSize) + alignedLength(1);
    if (packed && packed.length !== length)
      throw new Error(`A packed value head holds ${packed.length} numbers; this model needs ${length}.`);
    super(packed, length);
    this.hiddenSize = hiddenSize;
  }

  /** Makes a value head from the tensors of a file. @throws Error for a missing name; the reader must have checked the shapes. */
  static fromNamed(hiddenSize: number, arrays: NamedValues): ValueHead {
    return new ValueHead(hiddenSize, packed(hiddenSize, arrays));
  }

  get weight(): Slice {
    return { tensor: this.tensor, offset: 0, shape: [1, this.hiddenSize] };
  }

  get bias(): Slice {
    return { tensor: this.tensor, offset: this.decayedLength, shape: [1] };
  }

  /** The number of floats at the start that weight decay acts on: those of the weight. */
  get decayedLength(): number {
    return alignedLength(this.hiddenSize);
  }

  newGradients(): ValueHead {
    return new ValueHead(this.hiddenSize);
  }

  packNamed(arrays: NamedValues): Float32Array {
    return packed(this.hiddenSize, arrays);
  }

  unpackNamed(pool: Float32Array): WeightArrays {
    return new Map([
      [WEIGHT, { shape: [1, this.hiddenSize], data: pool.slice(0, this.hiddenSize) }],
      [BIAS, { shape: [1], data: pool.slice(this.decayedLength, this.decayedLength + 1) }],
    ]);
  }

  /** The tensors with the names, shapes and layout of a file. */
  async toNamed(): Promise<WeightArrays> {
    return this.unpackNamed(await this.pack());
  }

  /** V [N] of normed states [N, D]. */
  values(normed: tf.Tensor): tf.Tensor1D {
    return tf.tidy(() => tf.reshape(gemm(normed, this.weight, 'nt', { bias: this.bias }), [-1]));
  }

  /** Adds the gradients of weight and bias to `gradients`, given d loss / d V [N]. Returns d normed [N, D] plus `residual`. */
  gradient(normed: tf.Tensor, dvalue: tf.Tensor, gradients: ValueHead, residual: tf.Tensor): tf.Tensor2D {
    return tf.tidy(() => {
      const column: tf.Tensor2D = tf.reshape(dvalue, [-1, 1]);
      gemmInto(gradients.weight, column, normed, 'tn');
      addColumnSums(gradients.bias, column);
      return gemm(column, this.weight, 'nn', { residual });
    });
  }
}

function packed(hiddenSize: number, arrays: NamedValues): Float32Array {
  const pool = new Float32Array(alignedLength(hiddenSize) + alignedLength(1));
  pool.set(requiredTensor(arrays, WEIGHT).data);
  pool.set(requiredTensor(arrays, BIAS).data, alignedLength(hiddenSize));
  return pool;
}
