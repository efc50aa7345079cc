/**
 * A frozen base wherever it lies (on a device, in bytes that came, in a model's files) as the pieces that it is sent in. They are the same
 * to the bit and cut alike wherever they come from, so that a hash of them says which base it is.
 */
import type { FrozenFormat } from '../kernels/frozenMatrix/frozenMatrix.ts';
import type { ModelConfig } from './config.ts';
import { isMatrix, rowPieces, rowsOfPiece, vectorValues } from './frozenWords.ts';
import { parameterSpecs } from './parameters.ts';
import type { StoredWeights } from './storedWeights.ts';

/** How each matrix lies on the device, by our names; what another thread needs to make the same base. */
export type FrozenFormats = Readonly<Record<string, FrozenFormat>>;

/** Rows of a matrix, or all vectors. */
export interface BasePiece {
  /** Null for the pool of vectors, f32. */
  readonly name: string | null;
  readonly firstRow: number;
  readonly words: Uint8Array<ArrayBuffer>;
  readonly scales: Float32Array<ArrayBuffer> | null;
}

export interface BaseSource {
  /** All of it, in memory of its own, each time anew: few pieces are in memory at once. */
  pieces(): AsyncIterable<BasePiece>;
}

/** Rows of a matrix that one piece holds. */
export const rowsSent = (columns: number): number => rowsOfPiece(columns, 4);

/** The base that `FrozenBase.load` makes of these weights where its formats are these, without a device. Reading throws as that does. */
export function baseInFiles(config: ModelConfig, weights: StoredWeights, formats: FrozenFormats): BaseSource {
  return {
    async *pieces() {
      const vectors = await vectorValues(config, weights);
      yield { name: null, firstRow: 0, words: new Uint8Array(vectors.buffer), scales: null };
      for (const spec of parameterSpecs(config).filter(isMatrix)) {
        const { name } = spec;
        const step = rowsSent(spec.parts[0]?.shape[1] ?? 1);
        for await (const { firstRow, words, scales } of rowPieces(
          spec,
          weights,
          formats[name] ?? 'f32',
          step,
        ))
          yield { name, firstRow, words, scales };
      }
    },
  };
}
