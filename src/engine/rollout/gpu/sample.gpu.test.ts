/** Drawing on the GPU in float32 against the host in float64, and against the softmax. */
import { describe, expect, test } from 'vitest';
import {
  LOGIT_NOISE_WORD,
  MIN_P_WORD,
  logitNoiseKernel,
  MAX_SLOTS,
  REPETITION_PENALTY_WORD,
  sampleKernel,
  seenWords,
  SETTINGS_HEADER_WORDS,
  SLOT_WORDS,
  writeSeen,
  writeSlot,
  type DecodePlan,
} from '../../kernels/decode/index.ts';
import { chiSquared, chiSquaredBound } from '@rl-playground/base/testing/chiSquared';
import { casesOf, everyCase } from '../../testing/gpu.ts';
import { testDevice } from '../../testing/gpuDevice.ts';
import { rowList, runKernel } from '../../kernels/decode/runKernel.ts';
import { NOISE_STREAMS, normalAt } from '../decoding/logitNoise.ts';
import { withRepetitionPenalty } from '../repetitionPenalty.ts';
import { drawToken, gumbelOf, positionKey, rowKey, tokenBits } from '../decoding/sampler.ts';
import type { SamplingSettings } from '../decoding/types.ts';

const gpu = testDevice();
const seed = Math.floor(Math.random() * 2 ** 32);

/** Ids below `size` that row `row` has read. */
const readBy = (row: number, size: number): number[] =>
  [row, 7 * row + 3, 31, 32, size - 1].map((id) => id % size);

/**
 * More rows than fit one call are drawn in several; row r is the first token of sample r. Under a penalty it has read `readBy`, and
 * what it draws is looked for among what it has read by then.
 */
async function drawOnGpu(
  logits: readonly Float32Array[],
  { temperature, topK, topP, minP = 0, repetitionPenalty = 1 }: SamplingSettings,
  plan: DecodePlan,
  drawable?: number,
): Promise<{ code: number; logprob: number }[]> {
  const vocabSize = logits[0]?.length ?? 0;
  const width = Math.ceil(vocabSize / 4) * 4;
  const settings = new Uint32Array(SETTINGS_HEADER_WORDS);
  new Float32Array(settings.buffer).set([temperature], 0);
  settings[1] = topK;
  new Float32Array(settings.buffer).set([topP], 2);
  new Float32Array(settings.buffer).set([minP], MIN_P_WORD);
  new Float32Array(settings.buffer).set([repetitionPenalty], REPETITION_PENALTY_WORD);
  const penalised = repetitionPenalty !== 1;
  const filtered = topK > 0 || topP < 1 || minP > 0;
  const drawn: { code: number; logprob: number }[] = [];
  for (let first = 0; first < logits.length; first += MAX_SLOTS) {
    const part = logits.slice(first, first + MAX_SLOTS);
    const values = new Float32Array(part.length * width);
    part.forEach((row, i) => values.set(row, i * width));
    const slots = new Uint32Array(MAX_SLOTS * SLOT_WORDS);
    part.forEach((_, i) => {
      const key = rowKey(seed, 1, 0, first + i);
      const slot = { promptPages: 0, promptLength: 1, ownPages: 0, place: 0, key, maxTokens: 9, room: 9 };
      writeSlot(slots, i * SLOT_WORDS, slot);
    });
    const list = rowList(part.length, () => ({ promptLength: 1 }));
    const output = new Uint32Array(MAX_SLOTS * 2);
    const ofSlot = seenWords(vocabSize);
    const seen = new Uint32Array(part.length * ofSlot);
    part.forEach((_, i) => writeSeen(seen, i * ofSlot, readBy(first + i, vocabSize)));
    const results = await runKernel(
      gpu.device,
      sampleKernel(vocabSize, width, { filtered, penalised }, plan, drawable),
      [list, values, settings, slots, output, ...(penalised ? [seen] : [])],
      part.length,
    );
    const codes = new Uint32Array(results[4] ?? new ArrayBuffer(0));
    const floats = new Float32Array(codes.buffer);
    if (penalised) {
      part.forEach((_, i) => writeSeen(seen, i * ofSlot, [(codes[2 * i] ?? 0) - 1]));
      expect(new Uint32Array(results[5] ?? new ArrayBuffer(0)).subarray(0, seen.length)).toEqual(seen);
    }
    part.forEach((_, i) => drawn.push({ code: codes[2 * i] ?? 0, logprob: floats[2 * i + 1] ?? NaN }));
  }
  return drawn;
}

const keyOf = (row: number): number => positionKey(rowKey(seed, 1, 0, row), 0);

function randomLogits(size: number, spread: number): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: size }, () => spread * (Math.random() + Math.random() - 1));
}

const PLAIN: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 9, stop: [] };

const DRAWS: readonly [number, Partial<SamplingSettings>][] = [
  [28, {}],
  [28, { temperature: 0.6 }],
  [28, { temperature: 0 }],
  [28, { topK: 5 }],
  [28, { topP: 0.8, temperature: 1.3 }],
  [28, { topK: 9, topP: 0.7 }],
  [1500, {}],
  [1500, { topK: 40 }],
  [1500, { topP: 0.9 }],
  [1500, { topK: 100, topP: 0.5, temperature: 0.7 }],
  [28, { minP: 0.3, temperature: 1.3 }],
  [28, { minP: 1 }],
  [28, { topK: 9, topP: 0.9, minP: 0.4 }],
  [1500, { minP: 0.1 }],
  [28, { repetitionPenalty: 1.7 }],
  [28, { repetitionPenalty: 1.7, temperature: 0 }],
  [1500, { repetitionPenalty: 0.6, topK: 40, topP: 0.9, minP: 0.1 }],
];
/** No filter, both on a small vocabulary, and all with a penalty on one that a workgroup goes through in turns. */
const FEW_DRAWS = DRAWS.filter((_, i) => [0, 2, 5, 12, 16].includes(i));

describe.each(['items', 'groups'] as const)(`drawing on the GPU, %s, seed ${seed}`, (plan) => {
  // Barriers make this plan slow on a software adapter.
  test.each(plan === 'groups' ? casesOf(DRAWS, FEW_DRAWS) : DRAWS)(
    'vocabulary of %d, %o: the tokens and log-probabilities of the host',
    async (size, changes) => {
      const sampling = { ...PLAIN, ...changes };
      // Even a vocabulary's last, lone token must be reachable.
      const count = plan === 'groups' && !everyCase ? 30 : 100;
      const rows = Array.from({ length: count }, () => randomLogits(size + 1, 7));
      const drawn = await drawOnGpu(rows, sampling, plan);
      let different = 0;
      drawn.forEach(({ code, logprob }, row) => {
        const logits = rows[row] as Float32Array;
        const { repetitionPenalty = 1 } = sampling;
        const drawnBy = withRepetitionPenalty(logits, repetitionPenalty, readBy(row, logits.length));
        const host = drawToken(logits, sampling, keyOf(row), logits.length, drawnBy);
        const temperature = sampling.temperature || 1;
        const token = code - 1;
        const scaled = (id: number): number => (drawnBy[id] ?? NaN) / temperature;
        if (token === host.token) {
          expect(Math.abs(logprob - host.logprob)).toBeLessThan(2e-5);
          return;
        }
        // float32 may prefer another only where the two are all but equal.
        different++;
        const score = (id: number): number => scaled(id) + gumbelOf(tokenBits(keyOf(row), id));
        expect(Math.abs(score(token) - score(host.token))).toBeLessThan(1e-4);
      });
      expect(different).toBeLessThanOrEqual(1);
    },
  );

  test('equal logits rank by id, under filters too', async () => {
    const rows = Array.from({ length: 60 }, () => Float32Array.of(1, 3, 3, 3, 0, 3, 2));
    for (const changes of [{ topK: 2 }, { topP: 0.3 }] as const) {
      const drawn = await drawOnGpu(rows, { ...PLAIN, ...changes }, plan);
      expect(new Set(drawn.map(({ code }) => code - 1))).toEqual(new Set([1, 2]));
    }
    const greedy = await drawOnGpu(rows, { ...PLAIN, temperature: 0 }, plan);
    expect(new Set(greedy.map(({ code }) => code - 1))).toEqual(new Set([1]));
  });

  test('rows that pad the embedding are never drawn, and are in the distribution', async () => {
    const rows = Array.from({ length: 60 }, () => randomLogits(75, 3));
    for (const row of rows) row[71] = 4;
    for (const changes of [{}, { temperature: 0 }, { topK: 4, topP: 0.9 }]) {
      const sampling = { ...PLAIN, ...changes };
      const drawn = await drawOnGpu(rows, sampling, plan, 70);
      const same = drawn.filter(({ code, logprob }, i) => {
        const host = drawToken(rows[i] as Float32Array, sampling, keyOf(i), 70);
        expect(code - 1).toBeLessThan(70);
        return code - 1 === host.token && Math.abs(logprob - host.logprob) < 2e-5;
      });
      // float32 may prefer another where two are all but equal.
      expect(same.length).toBeGreaterThanOrEqual(59);
    }
  });

  test.each([NaN, Infinity])('a row that holds %d says so, and its neighbours are drawn', async (bad) => {
    const rows = Array.from({ length: 5 }, () => randomLogits(70, 3));
    (rows[2] as Float32Array)[66] = bad;
    const drawn = await drawOnGpu(rows, PLAIN, plan);
    expect(drawn.map(({ code }) => code === 0xffffffff)).toEqual([false, false, true, false, false]);
  });
});

test.each([28, 1500])(`noise on logits of %d tokens is the host's, seed ${seed}`, async (vocabSize) => {
  const width = Math.ceil(vocabSize / 4) * 4;
  const count = 40;
  const deviation = 1.7;
  const values = new Float32Array(count * width).fill(7);
  const slots = new Uint32Array(MAX_SLOTS * SLOT_WORDS);
  for (let row = 0; row < count; row++) {
    const key = rowKey(seed, 1, 0, row);
    const slot = { promptPages: 0, promptLength: 1, ownPages: 0, place: 0, key, maxTokens: 9, room: 9 };
    writeSlot(slots, row * SLOT_WORDS, slot);
  }
  const settings = new Uint32Array(SETTINGS_HEADER_WORDS);
  new Float32Array(settings.buffer).set([deviation], LOGIT_NOISE_WORD);
  const results = await runKernel(
    gpu.device,
    logitNoiseKernel(vocabSize, width, NOISE_STREAMS),
    [rowList(count, () => ({ promptLength: 1 })), settings, slots, values],
    count,
  );
  const noisy = new Float32Array(results[3] ?? new ArrayBuffer(0));
  let worst = 0;
  for (let row = 0; row < count; row++)
    for (let token = 0; token < width; token++) {
      const expected = token < vocabSize ? 7 + deviation * normalAt(keyOf(row), token) : 7;
      worst = Math.max(worst, Math.abs((noisy[row * width + token] ?? NaN) - expected));
    }
  expect(worst).toBeLessThan(1e-5);
});

test(`as often as the softmax says, seed ${seed}`, async () => {
  const logits = Float32Array.from([0.1, 0.5, 0.15, 0.25], (p) => Math.log(p) + 80);
  const rows = Array.from({ length: everyCase ? 12_800 : 3200 }, () => logits);
  for (const [changes, expected] of [
    [{}, [0.1, 0.5, 0.15, 0.25]],
    // p² / Σ p²
    [{ temperature: 0.5 }, [0.01, 0.25, 0.0225, 0.0625].map((square) => square / 0.345)],
    [{ topK: 2 }, [0, 2 / 3, 0, 1 / 3]],
    [{ topP: 0.76 }, [0, 5 / 9, 1.5 / 9, 2.5 / 9]],
  ] as const) {
    const drawn = await drawOnGpu(rows, { ...PLAIN, ...changes }, 'items');
    const counts = new Uint32Array(4);
    for (const { code } of drawn) counts[code - 1] = (counts[code - 1] ?? 0) + 1;
    const { statistic, freedom } = chiSquared(counts, expected);
    expect(freedom).toBe(expected.filter((p) => p > 0).length - 1);
    expect(statistic).toBeLessThan(chiSquaredBound(freedom));
  }
});
