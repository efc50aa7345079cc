/** A frozen base that generators use where it lies, on the wasm heap of the page's thread. */
import { expect, test } from 'vitest';
import { openSharedHeap, takeRoom } from '../backend/sharedHeap.ts';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { embedding } from '../kernels/embedding/embedding.ts';
import { FROZEN_FORMATS, type FrozenFormat } from '../kernels/frozenMatrix/frozenMatrix.ts';
import { blockPlaces, disposeFrozenMatrix, frozenMatrixElsewhere } from '../kernels/frozenMatrix/storage.ts';
import { gemm } from '../kernels/gemm/gemm.ts';
import { bitDifference } from '../kernels/testing/compare.ts';
import { randomFrozen } from '../kernels/testing/frozen.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import { adapterLength, type LoraSettings } from '../model/lora.ts';
import { heldAlarms } from '@rl-playground/base/testing/heldAlarms';
import { randomFrozenBase } from '../testing/frozenBases.ts';
import { tinyGenerator, tinyRequests, untimed } from './decoding/decoder.suite.ts';
import { createLocalPool } from './localPool.ts';
import { createWorkerPool } from './workerPool.ts';

const wasmPath = '/wasm/';
await startBackend('wasm', { wasmPath, threads: 2 });

async function openRoom() {
  const room = takeRoom();
  if (room === null) throw new Error('The heap of two threads is shared memory.');
  return openSharedHeap(room);
}

type Case = readonly [format: FrozenFormat, rows: number, out: number, width: number];

// The last two are cut into several pieces of rows and of columns.
const CASES: readonly Case[] = [
  ...FROZEN_FORMATS.map((format): Case => [format, 3, 70, 256]),
  ['q4_1', 700, 1600, 1536],
  ['f32', 40, 20_000, 256],
];

test.each(CASES)(
  '%s: rows of %i, a matrix of [%i, %i]: products and look-ups have the bits of a matrix on the own heap',
  async (format, rows, out, width) => {
    const random = freshInputs();
    const { matrix } = randomFrozen(random, format, [out, width]);
    const there = frozenMatrixElsewhere(matrix.shape, blockPlaces(matrix), await openRoom());
    const x = tf.tensor2d(random.floats(rows * width), [rows, width]);
    const ends = {
      bias: tf.tensor1d(random.floats(out)),
      residual: tf.tensor2d(random.floats(rows * out), [rows, out]),
    };
    const ids = tf.tensor1d([out - 1, 0, out >> 1, 0], 'int32');
    for (const of of [
      (m: typeof matrix) => gemm(x, m, 'nt'),
      (m: typeof matrix) => gemm(x, m, 'nt', ends),
      (m: typeof matrix) => embedding(m, ids),
    ]) {
      const [own, other] = [of(matrix), of(there)];
      expect(await bitDifference(format, own, other, random.seed)).toBeNull();
      tf.dispose([own, other]);
    }
    tf.dispose([x, ends, ids]);
    for (const each of [matrix, there]) disposeFrozenMatrix(each);
  },
);

test('a worker answers as the page does without a copy of the base', async () => {
  const model = tinyGenerator('gqa', [5]);
  const lora: LoraSettings = { rank: 4, alpha: 8, targets: ['q_proj', 'down_proj'] };
  const random = freshInputs();
  const base = await randomFrozenBase(model.config, 'bf16', random);
  const frozen = { ...model, lora, frozen: base.formats };
  const factors = random.floats(adapterLength(model.config, lora));
  const sampling = { temperature: 1, topP: 1, topK: 0, maxTokens: 16, stop: [] };
  const local = createLocalPool(frozen);
  const worker = createWorkerPool({
    size: 2,
    backend: 'wasm',
    wasmPath,
    model: frozen,
    timers: heldAlarms(),
  });
  base.pieces = () => {
    throw new Error('The base was copied.');
  };
  const answers = [];
  for (const pool of [local, worker]) {
    await pool.setBase(0, base);
    const first = (await pool.generate(tinyRequests(5, 3), sampling)).map(untimed);
    await pool.setAdapter(1, factors);
    answers.push({ first, second: (await pool.generate(tinyRequests(5, 3), sampling)).map(untimed) });
    pool.dispose();
  }
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[0]?.second).not.toEqual(answers[0]?.first);
  base.dispose();
});
