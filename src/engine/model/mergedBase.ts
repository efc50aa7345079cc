/**
 * A frozen base with an adapter merged in, for generators that should be fast rather than exact: W + (α / r)·(A·B)ᵀ, rounded to f16. Each
 * version is made from the base itself, so nothing of earlier ones is left. Matrices without an adapter, and all vectors, are the base's.
 */
import * as tf from '../backend/tf.ts';
import { embedding, gemm, takeColumns } from '../kernels/index.ts';
import type { FrozenMatrix } from '../kernels/frozenMatrix/frozenMatrix.ts';
import { writeHalfRows } from '../kernels/frozenMatrix/halfRows.ts';
import { frozenBytes } from '../kernels/frozenMatrix/layout.ts';
import { allocateFrozenMatrix, disposeFrozenMatrix } from '../kernels/frozenMatrix/storage.ts';
import type { Slice } from '../kernels/shared/slice.ts';
import type { ModelConfig } from './config.ts';
import type { FrozenBase } from './frozenBase.ts';
import { adapterSpecs, loraScale, mergedConfig, type AdapterSpec, type LoraSettings } from './lora.ts';
import { matrixShape, parameterSpecs } from './parameters.ts';
import { EMBEDDING, HEAD } from './weightNames.ts';

/** The methods of a base that are used here. */
export type FrozenSource = Pick<FrozenBase, 'has' | 'get' | 'matrix'>;

/** The bytes of f32 rows that go through a merge at a time. */
const PIECE_BYTES = 16 * 2 ** 20;

/** The shapes [out, in] of the matrices that an adapter acts on, by our names. A tied head then has a matrix of its own. */
function adaptedShapes(config: ModelConfig, lora: LoraSettings): Map<string, readonly [number, number]> {
  const adapted = new Set(adapterSpecs(config, lora).map(({ parameter }) => parameter));
  return new Map(
    parameterSpecs(mergedConfig(config, lora))
      .filter(({ name }) => adapted.has(name))
      .map((spec) => [spec.name, matrixShape(spec)]),
  );
}

/** The bytes on the device that such a base adds to the one below. */
export function mergedBytes(config: ModelConfig, lora: LoraSettings): number {
  return [...adaptedShapes(config, lora).values()].reduce((sum, shape) => sum + frozenBytes(shape, 'f16'), 0);
}

export class MergedBase {
  readonly config: ModelConfig;
  readonly #base: FrozenSource;
  readonly #tiedHead: boolean;
  readonly #specs: readonly AdapterSpec[];
  readonly #scale: number;
  /** The merged matrices, which replace the base's. */
  readonly matrices = new Map<string, FrozenMatrix>();

  /**
   * Makes matrices without an adapter at first. The base, of architecture `config`, must exist until `dispose`.
   *
   * @throws Error if such an adapter is impossible or the device has no room.
   */
  constructor(config: ModelConfig, base: FrozenSource, lora: LoraSettings) {
    this.config = mergedConfig(config, lora);
    this.#base = base;
    this.#tiedHead = config.tiedHead;
    this.#specs = adapterSpecs(config, lora);
    this.#scale = loraScale(lora);
    try {
      for (const [name, shape] of adaptedShapes(config, lora))
        this.matrices.set(name, allocateFrozenMatrix(shape, 'f16'));
      this.merge(null);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  has(name: string): boolean {
    return this.matrices.has(name) || this.#base.has(name);
  }

  get(name: string): Slice {
    return this.#base.get(name);
  }

  matrix(name: string): FrozenMatrix {
    return this.matrices.get(name) ?? this.#base.matrix(name);
  }

  /** The matrix of the base that an adapter is added to: for the head of a base with tied weights, the embedding. */
  #below(name: string): FrozenMatrix {
    return this.#base.matrix(this.#tiedHead && name === HEAD ? EMBEDDING : name);
  }

  /** Makes the matrices anew from an adapter's factors (`Adapter.pack`), or from the base alone, rounded, for null. */
  merge(factors: Float32Array | null): void {
    for (const [name, matrix] of this.matrices) {
      const specs = this.#specs.filter(({ parameter }) => parameter === name);
      const below = this.#below(name);
      const [rows, columns] = matrix.shape;
      const step = Math.max(1, Math.floor(PIECE_BYTES / (4 * columns)));
      // Rows without a pair are written once, and those of a pair by its product.
      if (factors === null) {
        for (let first = 0; first < rows; first += step)
          tf.tidy(() => writeHalfRows(matrix, first, rowsOf(below, first, Math.min(step, rows - first))));
        continue;
      }
      for (const spec of specs) this.#mergePair(matrix, below, spec, factors, step);
    }
  }

  #mergePair(
    matrix: FrozenMatrix,
    below: FrozenMatrix,
    { a, b, column }: AdapterSpec,
    factors: Float32Array,
    step: number,
  ): void {
    const [inputs, rank] = a.shape;
    const [, outputs] = b.shape;
    const values = ({ offset, shape: [rows, columns] }: AdapterSpec['a']): Float32Array =>
      factors.slice(offset, offset + rows * columns);
    tf.tidy(() => {
      const right = tf.mul(tf.transpose(tf.tensor2d(values(a), [inputs, rank])), this.#scale);
      const left = tf.tensor2d(values(b), [rank, outputs]);
      for (let first = 0; first < outputs; first += step)
        tf.tidy(() => {
          const count = Math.min(step, outputs - first);
          const residual = rowsOf(below, column + first, count);
          const merged = gemm(takeColumns(left, first, count), right, 'tn', { residual });
          writeHalfRows(matrix, column + first, merged);
        });
    });
  }

  dispose(): void {
    for (const matrix of this.matrices.values()) disposeFrozenMatrix(matrix);
  }
}

function rowsOf(matrix: FrozenMatrix, first: number, count: number): tf.Tensor2D {
  return embedding(
    matrix,
    tf.tensor1d(
      Int32Array.from({ length: count }, (_, i) => first + i),
      'int32',
    ),
  );
}
