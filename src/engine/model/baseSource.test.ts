/** A base in a model's files gives the pieces that it gives from the device that it was loaded on, in every format. */
import { beforeAll, describe, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { BASE_FORMATS, type BaseFormat } from './baseFormats.ts';
import { drawsFor } from '@rl-playground/base/random';
import { TINY_CONFIGS, TINY_KINDS } from '../testing/tinyModels.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { baseInFiles, type BasePiece, type BaseSource } from './baseSource.ts';
import { parseModelConfig, type ModelConfig } from './config.ts';
import { FrozenBase } from './frozenBase.ts';
import { initialWeights } from './initialize.ts';
import { EMBEDDING } from './weightNames.ts';
import { storedAs, storedInMemory, type NumberType, type StoredWeights } from './storedWeights.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

const weightsIn = (config: ModelConfig, type: NumberType): StoredWeights =>
  new Map(
    [...storedInMemory(initialWeights(config, drawsFor(1)))].map(([name, tensor]) => [
      name,
      storedAs(name, tensor, type),
    ]),
  );

async function piecesOf(source: BaseSource): Promise<BasePiece[]> {
  const pieces: BasePiece[] = [];
  for await (const piece of source.pieces()) pieces.push(piece);
  return pieces;
}

/** Pieces by their places, and all of their bytes. */
async function facts(source: BaseSource): Promise<readonly [string, Buffer][]> {
  return (await piecesOf(source)).map(({ name, firstRow, words }) => [
    `${name} ${firstRow}`,
    Buffer.from(words),
  ]);
}

interface Compared {
  /** The places of the pieces of both sources. */
  readonly places: readonly string[];
  readonly expected: readonly string[];
  /** Places whose bytes differ. */
  readonly unlike: readonly string[];
}

async function compared(config: ModelConfig, type: NumberType, format: BaseFormat): Promise<Compared> {
  const weights = weightsIn(config, type);
  const loaded = await FrozenBase.load(config, weights, format);
  try {
    const found = await facts(baseInFiles(config, weights, loaded.formats));
    const expected = await facts(loaded);
    return {
      places: found.map(([place]) => place),
      expected: expected.map(([place]) => place),
      unlike: found.flatMap(([place, words], i) => {
        const [, others] = expected[i] ?? [];
        return others && words.equals(others) ? [] : [place];
      }),
    };
  } finally {
    loaded.dispose();
  }
}

describe.each(['F32', 'F16', 'BF16'] as const)('files of %s', (type) => {
  test.each(BASE_FORMATS)('give the same base in %s as the device', async (format) => {
    for (const kind of TINY_KINDS) {
      const { places, expected, unlike } = await compared(TINY_CONFIGS[kind], type, format);
      expect(places).toEqual(expected);
      expect([kind, ...unlike]).toEqual([kind]);
    }
  });
});

test('a matrix of several pieces is cut alike, whatever its files are in', async () => {
  const config = parseModelConfig({
    model_type: 'llama',
    num_hidden_layers: 1,
    hidden_size: 32,
    intermediate_size: 32,
    num_attention_heads: 2,
    num_key_value_heads: 2,
    // More rows than the 131,072 of a piece, and no whole number of groups of rows.
    vocab_size: 131_111,
    tie_word_embeddings: true,
  });
  const { places, expected, unlike } = await compared(config, 'BF16', 'auto');
  expect(places).toContain(`${EMBEDDING} 131072`);
  expect(places).toEqual(expected);
  expect(unlike).toEqual([]);
});
