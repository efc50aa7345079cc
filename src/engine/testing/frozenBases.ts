/** Random models whose matrices are all frozen in one format. */
import { toBfloat16, toFloat16 } from '../kernels/shared/halfFloats.ts';
import { isBlockFormat, type BlockFormat } from '../kernels/blockFormats/blockFormats.ts';
import { randomBlocks } from '../kernels/testing/blocks.ts';
import type { RandomInputs } from '../kernels/testing/random.ts';
import type { FrozenFormat, FrozenMatrix } from '../kernels/frozenMatrix/frozenMatrix.ts';
import { BLOCK_STEP, wordBytes } from '../kernels/frozenMatrix/layout.ts';
import {
  allocateFrozenMatrix,
  disposeFrozenMatrix,
  readFrozenRows,
  writeFrozenRows,
} from '../kernels/frozenMatrix/storage.ts';
import { parseModelConfig, type ModelConfig } from '../model/config.ts';
import { FrozenBase } from '../model/frozenBase.ts';
import type { NumberType, StoredTensor, StoredWeights } from '../model/storedWeights.ts';
import { unpackArrays, type WeightArrays } from '../model/weights.ts';
import { randomPool } from './adaptedModels.ts';

function wordsOf(type: NumberType, values: Float32Array): Uint8Array {
  if (type === 'F32') return new Uint8Array(values.slice().buffer);
  return new Uint8Array(Uint16Array.from(type === 'F16' ? toFloat16(values) : toBfloat16(values)).buffer);
}

/** Weights as a file of that type stores them, rounded if it has 16 bits. */
export function storedAs(type: NumberType, arrays: WeightArrays): StoredWeights {
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

/** Weights whose matrices are random blocks, of the format that `formatOf` names for each tensor. */
export function storedInBlocks(
  arrays: WeightArrays,
  formatOf: (name: string) => BlockFormat,
  random: RandomInputs,
): StoredWeights {
  const blocks = [...arrays].filter(([, { shape }]) => shape.length > 1);
  return new Map([
    ...storedAs('F32', arrays),
    ...blocks.map(([name, { shape, data }]): [string, StoredTensor] => {
      const format = formatOf(name);
      const bytes = randomBlocks(random, format, data.length);
      const dtype = format.toUpperCase() as Uppercase<BlockFormat>;
      return [name, { shape, dtype, read: (begin, end) => Promise.resolve(bytes.subarray(begin, end)) }];
    }),
  ]);
}

/** One layer whose rows are whole blocks of every format. */
export const BLOCK_CONFIG: ModelConfig = parseModelConfig({
  model_type: 'llama',
  num_hidden_layers: 1,
  hidden_size: 256,
  intermediate_size: 256,
  vocab_size: 40,
  num_attention_heads: 16,
  num_key_value_heads: 4,
  head_dim: 16,
  tie_word_embeddings: true,
});

/** A mixture such as llama.cpp makes, with formats that it would not mix. */
const MIXED: Readonly<Record<string, BlockFormat>> = {
  q_proj: 'q4_k',
  k_proj: 'q5_0',
  v_proj: 'q6_k',
  o_proj: 'q4_1',
  gate_proj: 'iq4_xs',
  up_proj: 'q3_k',
  down_proj: 'q2_k',
};

/** The block format of a tensor in the mixture. */
export const mixedFormat = (name: string): BlockFormat =>
  Object.entries(MIXED).find(([part]) => name.includes(part))?.[1] ?? 'q8_0';

/** A random base on the running backend. `mixed` has blocks of several formats. */
export function randomFrozenBase(
  config: ModelConfig,
  format: FrozenFormat | 'mixed',
  random: RandomInputs,
): Promise<FrozenBase> {
  const arrays = unpackArrays(config, randomPool(config, random));
  if (format === 'mixed') return FrozenBase.load(config, storedInBlocks(arrays, mixedFormat, random), 'auto');
  if (isBlockFormat(format))
    return FrozenBase.load(
      config,
      storedInBlocks(arrays, () => format, random),
      'auto',
    );
  const type = format === 'f16' ? 'F16' : format === 'bf16' ? 'BF16' : 'F32';
  return FrozenBase.load(config, storedAs(type, arrays), 'auto');
}

export interface CutBase extends Pick<FrozenBase, 'has' | 'get' | 'matrix'> {
  readonly dispose: () => void;
}

/** The same base with its matrices in blocks of 64 rows, as on a device that binds few bytes. */
export async function inBlocks(base: FrozenBase): Promise<CutBase> {
  const cut = new Map<string, FrozenMatrix>();
  for (const name of Object.keys(base.formats)) {
    const whole = base.matrix(name);
    const bytes = whole.blocks.map(({ format }) => wordBytes(format, BLOCK_STEP * whole.shape[1]));
    const matrix = allocateFrozenMatrix(whole.shape, base.formats[name] ?? [], Math.max(...bytes));
    for (const { firstRow, rows } of whole.blocks) {
      writeFrozenRows(matrix, firstRow, await readFrozenRows(whole, firstRow, rows));
    }
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
