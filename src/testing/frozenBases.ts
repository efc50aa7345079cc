/** Random models whose matrices are frozen in one format: what generators sample from, and the same numbers as an f32 pool. */
import * as tf from '../backend/tf.ts';
import { fromBfloat16, fromFloat16, toBfloat16, toFloat16 } from '../base/halfFloats.ts';
import type { RandomInputs } from '../kernels/checks/random.ts';
import type { FrozenFormat, FrozenMatrix } from '../kernels/frozenMatrix/frozenMatrix.ts';
import { BLOCK_STEP, wordBytes } from '../kernels/frozenMatrix/layout.ts';
import { dequantizeRows, quantizeRows } from '../kernels/frozenMatrix/quantize.ts';
import {
  allocateFrozenMatrix,
  disposeFrozenMatrix,
  writeFrozenRows,
} from '../kernels/frozenMatrix/storage.ts';
import type { ModelConfig } from '../model/config.ts';
import { parameterSpecs, sizeOf } from '../model/parameters.ts';
import type { FrozenSource } from '../rollout/gpu/frozenWeights.ts';
import { randomPool } from './adaptedModels.ts';

export interface FrozenModel {
  readonly base: FrozenSource;
  /** The numbers that the words stand for, in the layout of `ModelWeights`. */
  readonly pool: Float32Array<ArrayBuffer>;
  dispose(): void;
}

interface Encoded {
  readonly words: Uint8Array;
  readonly scales: Float32Array | null;
  readonly values: Float32Array;
}

function encode(format: FrozenFormat, numbers: Float32Array<ArrayBuffer>): Encoded {
  if (format === 'q8' || format === 'q4') {
    const quantized = quantizeRows(format, numbers);
    return { ...quantized, values: dequantizeRows(format, quantized, numbers.length) };
  }
  if (format === 'f32') return { words: new Uint8Array(numbers.buffer), scales: null, values: numbers };
  const half = format === 'f16';
  const words = Uint16Array.from(half ? toFloat16(numbers) : toBfloat16(numbers));
  return {
    words: new Uint8Array(words.buffer),
    scales: null,
    values: half ? fromFloat16(words) : fromBfloat16(words),
  };
}

/** On the running backend. `blockRows`: rows of a block at most, a multiple of 64; by default one block. */
export function randomFrozenModel(
  config: ModelConfig,
  format: FrozenFormat,
  random: RandomInputs,
  blockRows = 2 ** 20,
): FrozenModel {
  const pool = randomPool(config, random);
  const specs = parameterSpecs(config);
  const matrices = new Map<string, FrozenMatrix>();
  for (const { name, shape, transposed, offset } of specs.filter(({ decay }) => decay)) {
    const [first = 0, second = 0] = shape;
    const [rows, columns] = transposed ? [second, first] : [first, second];
    const inPool = (row: number, column: number): number =>
      offset + (transposed ? column * rows + row : row * columns + column);
    const places = Array.from({ length: rows * columns }, (_, i) =>
      inPool(Math.floor(i / columns), i % columns),
    );
    const { words, scales, values } = encode(
      format,
      Float32Array.from(places, (place) => pool[place] ?? NaN),
    );
    const blockBytes = wordBytes(format, Math.max(BLOCK_STEP, blockRows) * columns);
    const matrix = allocateFrozenMatrix([rows, columns], format, blockBytes);
    writeFrozenRows(matrix, 0, words, scales);
    matrices.set(name, matrix);
    places.forEach((place, i) => (pool[place] = values[i] ?? NaN));
  }
  const vectors = new Map(specs.filter(({ decay }) => !decay).map((spec) => [spec.name, spec]));
  const tensor = tf.keep(tf.tensor1d(pool));
  return {
    base: {
      matrix(name) {
        const matrix = matrices.get(name);
        if (!matrix) throw new Error(`The model has no matrix ${name}.`);
        return matrix;
      },
      vector(name) {
        const spec = vectors.get(name);
        return spec ? { tensor, offset: spec.offset, shape: [sizeOf(spec.shape)] } : null;
      },
    },
    pool,
    dispose() {
      for (const matrix of matrices.values()) disposeFrozenMatrix(matrix);
      tensor.dispose();
    },
  };
}
