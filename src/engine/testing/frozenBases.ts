/** Random models whose matrices are all frozen in one format. */
import { toBfloat16, toFloat16 } from '../model/halfFloats.ts';
import type { RandomInputs } from '../kernels/testing/random.ts';
import type { FrozenFormat, FrozenMatrix } from '../kernels/frozenMatrix/frozenMatrix.ts';
import { BLOCK_STEP, wordBytes } from '../kernels/frozenMatrix/layout.ts';
import {
  allocateFrozenMatrix,
  disposeFrozenMatrix,
  readFrozenRows,
  writeFrozenRows,
} from '../kernels/frozenMatrix/storage.ts';
import type { ModelConfig } from '../model/config.ts';
import { FrozenBase } from '../model/frozenBase.ts';
import type { StoredTensor, StoredType, StoredWeights } from '../model/storedWeights.ts';
import { unpackArrays, type WeightArrays } from '../model/weights.ts';
import { randomPool } from './adaptedModels.ts';

const STORED: Readonly<Record<FrozenFormat, StoredType>> = {
  f32: 'F32',
  f16: 'F16',
  bf16: 'BF16',
  q8: 'F32',
  q4: 'F32',
};

function wordsOf(type: StoredType, values: Float32Array): Uint8Array {
  if (type === 'F32') return new Uint8Array(values.slice().buffer);
  return new Uint8Array(Uint16Array.from(type === 'F16' ? toFloat16(values) : toBfloat16(values)).buffer);
}

/** Weights as a file of that type stores them, rounded if it has 16 bits. */
export function storedAs(type: StoredType, arrays: WeightArrays): StoredWeights {
  return new Map(
    [...arrays].map(([name, { shape, data }]): [string, StoredTensor] => {
      const bytes = wordsOf(type, data);
      return [
        name,
        { shape, dtype: type, read: (begin, end) => Promise.resolve(bytes.subarray(begin, end)) },
      ];
    }),
  );
}

/** A random base on the running backend. With `q4`, embedding and head are `q8`. */
export function randomFrozenBase(
  config: ModelConfig,
  format: FrozenFormat,
  random: RandomInputs,
): Promise<FrozenBase> {
  const stored = storedAs(STORED[format], unpackArrays(config, randomPool(config, random)));
  return FrozenBase.load(config, stored, format === 'q8' || format === 'q4' ? format : 'auto');
}

export interface CutBase extends Pick<FrozenBase, 'has' | 'get' | 'matrix'> {
  readonly dispose: () => void;
}

/** The same base with its matrices in blocks of 64 rows, as on a device that binds few bytes. */
export async function inBlocks(base: FrozenBase): Promise<CutBase> {
  const cut = new Map<string, FrozenMatrix>();
  for (const name of Object.keys(base.formats)) {
    const { shape, format } = base.matrix(name);
    const matrix = allocateFrozenMatrix(shape, format, wordBytes(format, BLOCK_STEP * shape[1]));
    const { words, scales } = await readFrozenRows(base.matrix(name), 0, shape[0]);
    writeFrozenRows(matrix, 0, words, scales);
    cut.set(name, matrix);
  }
  return {
    has: (name) => base.has(name),
    get: (name) => base.get(name),
    matrix: (name) => cut.get(name) ?? base.matrix(name),
    dispose() {
      for (const matrix of cut.values()) disposeFrozenMatrix(matrix);
    },
  };
}
