/** A model's weights on the device, as the commands of a batch bind them. */
import type { LowRankSpec } from '../../kernels/decode/index.ts';
import type { FormattedRows } from '../../kernels/frozenMatrix/layout.ts';
import type { WeightBytes } from '../decoding/weights.ts';
import type { BufferSlice } from './buffers.ts';

/** The rows of a matrix that are bound together; all of them if it is [in, out]. */
export interface BoundBlock extends FormattedRows {
  readonly words: BufferSlice;
}

export interface BoundMatrix {
  /** The layout: `nn` is [in, out], `nt` is [out, in]. */
  readonly layout: 'nn' | 'nt';
  readonly blocks: readonly BoundBlock[];
}

/** An adapter's pairs for one matrix. */
export interface BoundAdapter extends Omit<LowRankSpec, 'at' | 'shares'> {
  readonly factors: BufferSlice;
}

/** The weights by the names of `parameterSpecs`. */
export interface DecoderWeights {
  matrix(name: string): BoundMatrix;
  /** A norm or bias; null if the model has none. */
  vector(name: string): BufferSlice | null;
  adapter(name: string): BoundAdapter | null;
  set(weights: WeightBytes): void;
  setAdapter(factors: Float32Array): void;
  /** Writes the waiting parameters that `wanted` names, and returns whether there were any. */
  upload(wanted?: (name: string) => boolean): boolean;
  dispose(): void;
}
