/**
 * A frozen base as the pieces in which it is sent, whether it is on a device, in bytes that came, or in a model's files. The pieces are
 * the same to the bit and have the same borders in each case, so that a hash of them says which base it is.
 */
import type { RowFormats } from '../kernels/frozenMatrix/layout.ts';
import type { ModelConfig } from './config.ts';
import { isMatrix, rowPieces, vectorValues } from './frozenWords.ts';
import { parameterSpecs } from './parameters.ts';
import type { StoredWeights } from './storedWeights.ts';

/** The formats of each matrix on the device, by our names. Another thread needs them to make the same base. */
export type FrozenFormats = Readonly<Record<string, RowFormats>>;

/** Rows of a matrix in one format, or all vectors. */
export interface BasePiece {
  /** The name of the matrix; null for the pool of vectors, f32. */
  readonly name: string | null;
  readonly firstRow: number;
  readonly words: Uint8Array<ArrayBuffer>;
  readonly scales: Float32Array<ArrayBuffer> | null;
}

export interface BaseSource {
  /** Yields all pieces, in memory of their own, anew at each call. Few pieces are in memory at once. */
  pieces(): AsyncIterable<BasePiece>;
}

/**
 * The base that these weights make in these formats, without a device. `onRows` is awaited with the bytes that were read for each piece.
 *
 * @throws Error if the format can't hold a number.
 */
export function baseInFiles(
  config: ModelConfig,
  weights: StoredWeights,
  formats: FrozenFormats,
  onRows?: (bytes: number) => Promise<void> | void,
): BaseSource {
  return {
    async *pieces() {
      const vectors = await vectorValues(config, weights);
      yield { name: null, firstRow: 0, words: new Uint8Array(vectors.buffer), scales: null };
      for (const spec of parameterSpecs(config).filter(isMatrix)) {
        const { name } = spec;
        for await (const { bytesRead, ...rows } of rowPieces(spec, weights, formats[name] ?? [])) {
          yield { name, ...rows };
          await onRows?.(bytesRead);
        }
      }
    },
  };
}
