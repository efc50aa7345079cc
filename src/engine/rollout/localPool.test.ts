/** The pool in the caller's own thread, which a trainer shares with it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { breathe } from '../backend/eventLoop.ts';
import { startBackend } from '../backend/start.ts';
import { adapterLength, type LoraSettings } from '../model/lora.ts';
import { drawsFor } from '@rl-playground/base/random';
import { TINY_CONFIGS, tinyPool } from '../testing/tinyModels.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { tinyGenerator, tinyRequests, untimed } from './decoding/decoder.suite.ts';
import { createLocalPool } from './localPool.ts';
import type { GeneratorPool, GroupResult, SamplingSettings } from './decoding/types.ts';
import { weightLayout } from './decoding/weights.ts';

const SAMPLING: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 20, stop: [] };
const REQUESTS = tinyRequests(3, 2);
const LORA: LoraSettings = { rank: 2, alpha: 4, targets: ['q_proj', 'down_proj'] };
const FACTORS = adapterLength(TINY_CONFIGS.gqa, LORA);

const model = tinyGenerator('gqa', [5]);
const loraModel = { ...model, lora: LORA };

function tinyAdapter(seed: number): Float32Array<ArrayBuffer> {
  const draw = drawsFor(seed);
  return Float32Array.from({ length: FACTORS }, () => draw() - 0.5);
}

const ask = async (pool: GeneratorPool) => (await pool.generate(REQUESTS, SAMPLING)).map(untimed);

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

describe('createLocalPool', () => {
  test('others get their turn while it decodes', async () => {
    const pool = createLocalPool(model);
    await pool.setWeights(0, tinyPool('gqa'));
    let rounds = 0;
    let done = false;
    const running = pool
      .generate(REQUESTS, SAMPLING, { onProgress: () => rounds++ })
      .finally(() => (done = true));
    let turns = 0;
    while (!done) {
      await breathe();
      turns++;
    }
    await running;
    expect(rounds).toBeGreaterThan(5);
    expect(turns).toBeGreaterThanOrEqual(rounds);
    pool.dispose();
  });

  test('what is published during a request does not wait for its end, may be changed, and counts from the next on', async () => {
    const pool = createLocalPool(model);
    const packed = tinyPool('gqa', 1);
    await pool.setWeights(1, packed);
    const heard: GroupResult[] = [];
    const first = pool.generate(REQUESTS, SAMPLING, { onGroup: (_, group) => heard.push(group) });
    for (const version of [2, 3]) {
      packed.set(tinyPool('gqa', version));
      await pool.setWeights(version, packed);
      packed.fill(NaN);
    }
    expect(heard).toEqual([]);
    const second = pool.generateOn(0, REQUESTS, SAMPLING);
    packed.set(tinyPool('gqa', 4));
    await pool.setWeights(4, packed);
    packed.fill(NaN);
    const third = ask(pool);
    const answers = [(await first).map(untimed), (await second).map(untimed), await third];
    expect(heard).toHaveLength(REQUESTS.length);
    for (const [i, version] of [1, 3, 4].entries()) {
      const alone = createLocalPool(model);
      await alone.setWeights(version, tinyPool('gqa', version));
      expect(answers[i]).toEqual(await ask(alone));
      alone.dispose();
    }
    pool.dispose();
  });

  test('the same for an adapter', async () => {
    const pool = createLocalPool(loraModel);
    const base = tinyPool('gqa');
    await pool.setWeights(0, base);
    base.fill(NaN);
    const first = pool.generate(REQUESTS, SAMPLING);
    const factors = tinyAdapter(1);
    await pool.setAdapter(1, factors);
    factors.fill(NaN);
    const second = pool.generateOn(0, REQUESTS, SAMPLING);
    expect((await first)[0]?.policyVersion).toBe(0);
    const answers = (await second).map(untimed);
    pool.dispose();

    const alone = createLocalPool(loraModel);
    await alone.setWeights(0, tinyPool('gqa'));
    await alone.setAdapter(1, tinyAdapter(1));
    expect(await ask(alone)).toEqual(answers);
    alone.dispose();
  });

  test('hands over the weights in their precision, and under LoRA the factors alone', async () => {
    const packed = tinyPool('gqa');
    for (const precision of ['f32', 'f16'] as const) {
      const pool = createLocalPool(model, precision);
      await pool.setWeights(0, packed);
      expect(pool.handedOverBytes).toBe(weightLayout(TINY_CONFIGS.gqa, precision).bytes);
      pool.dispose();
      const adapted = createLocalPool(loraModel, precision);
      await adapted.setWeights(0, packed);
      expect(adapted.handedOverBytes).toBe(packed.byteLength);
      await adapted.setAdapter(0, tinyAdapter(1));
      expect(adapted.handedOverBytes).toBe(4 * FACTORS);
      expect(4 * FACTORS).toBeLessThan(packed.byteLength / 2);
      adapted.dispose();
    }
  });

  test('refuses an adapter where there is no LoRA or of another shape, and a generator that it does not have', async () => {
    const pool = createLocalPool(model);
    await pool.setWeights(0, tinyPool('gqa'));
    await expect(pool.setAdapter(1, tinyAdapter(1))).rejects.toThrow('without LoRA');
    await expect(pool.generateOn(1, REQUESTS, SAMPLING)).rejects.toThrow('no generator 1; this pool has 1');
    pool.dispose();
    const adapted = createLocalPool(loraModel);
    await adapted.setWeights(0, tinyPool('gqa'));
    await expect(adapted.setAdapter(1, tinyAdapter(1).subarray(3))).rejects.toThrow(
      `${FACTORS - 3} numbers; this model and its LoRA settings need ${FACTORS}`,
    );
    expect((await ask(adapted))[0]?.policyVersion).toBe(0);
    adapted.dispose();
  });

  test('counts the time it worked, over all requests', async () => {
    const pool = createLocalPool(model);
    await pool.setWeights(0, tinyPool('gqa'));
    expect(pool.busySeconds).toBe(0);
    const began = performance.now();
    await ask(pool);
    const once = pool.busySeconds;
    expect(once).toBeGreaterThan(0);
    await ask(pool);
    expect(pool.busySeconds).toBeGreaterThan(once);
    expect(pool.busySeconds).toBeLessThanOrEqual((performance.now() - began) / 1000);
    pool.dispose();
  });

  test('an abort is heard between two rounds, also by what waits for its turn', async () => {
    const pool = createLocalPool(model);
    await pool.setWeights(0, tinyPool('gqa'));
    const before = await ask(pool);
    const abort = new AbortController();
    const heard: number[] = [];
    const long = { ...SAMPLING, maxTokens: 50 };
    const asked = [0, 1].map(() =>
      pool.generateOn(0, REQUESTS, long, {
        signal: abort.signal,
        onGroup: (index) => heard.push(index),
      }),
    );
    await breathe();
    abort.abort(new Error('enough'));
    for (const request of asked) await expect(request).rejects.toThrow('enough');
    expect(heard.length).toBeLessThan(REQUESTS.length);
    expect(await ask(pool)).toEqual(before);
    pool.dispose();
  });
});
