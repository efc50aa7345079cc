/** A model's weights on the device, as the commands of a batch bind them. */
import type { LowRankSpec } from '../../kernels/decode/index.ts';
import type { FrozenFormat } from '../../kernels/frozenMatrix/frozenMatrix.ts';
import type { RowRange } from '../../kernels/frozenMatrix/layout.ts';
import type { WeightBytes } from '../decoding/weights.ts';
import type { BufferSlice } from './buffers.ts';

/** Rows of a matrix that are bound together; all of them where it is [in, out]. */
export interface BoundBlock extends RowRange {
  readonly words: BufferSlice;
  /** Of quantized formats. */
  readonly scales: BufferSlice | null;
}

export interface BoundMatrix {
  /** `nn`: [in, out]; `nt`: [out, in]. */
  readonly layout: 'nn' | 'nt';
  readonly format: FrozenFormat;
  readonly blocks: readonly BoundBlock[];
}

/** An adapter's pairs for one matrix. */
export interface BoundAdapter extends Omit<LowRankSpec, 'at'> {
  readonly factors: BufferSlice;
}

/** Names are those of `parameterSpecs`. */
export interface DecoderWeights {
  /** Of GPU memory that is its own. */
  readonly bytes: number;
  matrix(name: string): BoundMatrix;
  /** A norm or bias; null where the model has none. */
  vector(name: string): BufferSlice | null;
  /** What is added to a matrix's product; null where nothing is. */
  adapter(name: string): BoundAdapter | null;
  /** See `Decoder.setWeights`. */
  set(weights: WeightBytes): void;
  /** See `Decoder.setAdapter`. */
  setAdapter(factors: Float32Array): void;
  /** Writes the parameters that `wanted` names and that wait; returns whether any did. */
  upload(wanted?: (name: string) => boolean): boolean;
  /** Frees what is its own. */
  dispose(): void;
}
