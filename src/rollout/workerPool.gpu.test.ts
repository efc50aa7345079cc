/** Generators in real Web Workers: how many there are changes nothing, and what fails in one stays data. */
import { describe, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { tinyPool, tinyPrompts } from '../testing/tinyModels.ts';
import { tinyGenerator, untimed } from './engine.suite.ts';
import { createLocalPool } from './localPool.ts';
import type { GeneratorPool, SamplingProgress, SamplingSettings } from './types.ts';
import type { WeightPrecision } from './weightFormat.ts';
import { createWorkerPool } from './workerPool.ts';

const wasmPath = '/wasm/';
const SAMPLING = { temperature: 1, topP: 1, topK: 0, maxTokens: 16, stop: [] };
const REQUESTS = tinyPrompts(5).map((promptIds, problem) => ({
  promptIds,
  samples: 3,
  seed: 2,
  step: 1,
  problem,
}));

const ask = async (pool: GeneratorPool, sampling: SamplingSettings = SAMPLING) =>
  (await pool.generate(REQUESTS, sampling)).map(untimed);

const model = tinyGenerator('gqa', [5]);

describe.each(['wasm', 'webgpu'] as const)('workers on %s', (backend) => {
  async function withPool<T>(
    size: number,
    body: (pool: GeneratorPool) => Promise<T>,
    precision: WeightPrecision = 'f32',
  ): Promise<T> {
    await startBackend(backend, { wasmPath, threads: 1 });
    const packed = tinyPool('gqa');
    const pool =
      size === 0
        ? createLocalPool(model, precision)
        : createWorkerPool({ size, backend, wasmPath, model, precision });
    try {
      await pool.setWeights(3, packed);
      return await body(pool);
    } finally {
      pool.dispose();
    }
  }

  test('1, 2 and 4 of them and none at all sample the same to the bit', async () => {
    const sample = (size: number) => withPool(size, (pool) => ask(pool));
    const here = await sample(0);
    expect(here.map(({ policyVersion }) => policyVersion)).toEqual([3, 3, 3, 3, 3]);
    for (const size of [1, 2, 4]) expect(await sample(size)).toEqual(here);
  });

  test('stop strings reach the workers: the same rows to the bit as without workers, some of them ended by one', async () => {
    const stopping = { ...SAMPLING, stop: ['a\n', 'bc', 'é'] };
    const sample = (size: number) => withPool(size, (pool) => ask(pool, stopping));
    const here = await sample(0);
    const ends = here.flatMap(({ completions }) => completions.map(({ stopReason }) => stopReason));
    expect(ends).toContain('stop');
    for (const size of [1, 2, 4]) expect(await sample(size)).toEqual(here);
  });

  test('progress adds up over workers, and an abort rejects with its reason', async () => {
    await withPool(2, async (pool) => {
      const seen: SamplingProgress[] = [];
      const groups = await pool.generate(REQUESTS, SAMPLING, {
        onProgress: (progress) => seen.push(progress),
      });
      const tokens = groups
        .flatMap(({ completions }) => completions)
        .reduce((sum, row) => sum + row.tokens.length, 0);
      expect(seen.at(-1)).toEqual({ tokens, finished: 15, total: 15 });

      const abort = new AbortController();
      const long = { ...SAMPLING, maxTokens: 40 };
      const aborted = pool.generate(REQUESTS, long, {
        signal: abort.signal,
        onProgress: () => abort.abort(new Error('enough')),
      });
      await expect(aborted).rejects.toThrow('enough');
      expect((await pool.generate(REQUESTS, SAMPLING)).map(untimed)).toEqual(groups.map(untimed));
    });
  });

  test('half-precision weights: workers sample what an engine in this thread samples', async () => {
    const sample = (size: number) => withPool(size, (pool) => ask(pool), 'f16');
    const here = await sample(0);
    expect(await sample(2)).toEqual(here);
    expect(here).not.toEqual(await withPool(0, (pool) => ask(pool)));
  });

  test('published weights may be changed at once, and each request gets those before it', async () => {
    await withPool(2, async (pool) => {
      const packed = tinyPool('gqa', 2);
      const asked: Promise<unknown>[] = [];
      for (let version = 4; version < 9; version++) {
        await pool.setWeights(version, packed);
        packed.fill(version);
        asked.push(pool.generate(REQUESTS, SAMPLING).then(([first]) => first?.policyVersion));
        packed.set(tinyPool('gqa', version));
      }
      expect(await Promise.all(asked)).toEqual([4, 5, 6, 7, 8]);
      const [last] = await ask(pool);
      await withPool(0, async (alone) => {
        await alone.setWeights(8, tinyPool('gqa', 7));
        expect((await ask(alone))[0]).toEqual(last);
      });
    });
  });

  test('weights that are not finite come back as failed completions; the next weights work again', async () => {
    const packed = tinyPool('gqa');
    await withPool(2, async (pool) => {
      const good = await pool.generate(REQUESTS, SAMPLING);
      await pool.setWeights(
        4,
        packed.map(() => NaN),
      );
      const failed = (await pool.generate(REQUESTS, SAMPLING)).flatMap(({ completions }) => completions);
      expect(failed).toHaveLength(15);
      for (const { tokens, stopReason, error } of failed) {
        expect({ tokens, stopReason }).toEqual({ tokens: [], stopReason: 'error' });
        expect(error).toContain('not finite');
      }
      await pool.setWeights(5, packed);
      const again = await pool.generate(REQUESTS, SAMPLING);
      expect(again.map(({ completions }) => completions)).toEqual(good.map(({ completions }) => completions));
    });
  });

  test('a pool of another model is refused at once, and what is asked then is answered as before', async () => {
    const packed = tinyPool('gqa');
    await withPool(1, async (pool) => {
      const good = await ask(pool);
      await expect(pool.setWeights(4, packed.slice(1))).rejects.toThrow(`needs ${packed.length}`);
      expect(await ask(pool)).toEqual(good);
    });
  });
});
