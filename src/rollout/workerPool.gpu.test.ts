/** Generators in real Web Workers: how many there are changes nothing, and what fails in one stays data. */
import { describe, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { tinyGeneratorModel, tinyPrompts } from '../testing/tinyModels.ts';
import { createLocalPool } from './localPool.ts';
import type { GeneratorPool, SamplingProgress } from './types.ts';
import { createWorkerPool } from './workerPool.ts';

const wasmPath = '/wasm/';
const SAMPLING = { temperature: 1, topP: 1, topK: 0, maxTokens: 16 };
const REQUESTS = tinyPrompts(5).map((promptIds, problem) => ({
  promptIds,
  samples: 3,
  seed: 2,
  step: 1,
  problem,
}));

describe.each(['wasm', 'webgpu'] as const)('workers on %s', (backend) => {
  async function withPool<T>(size: number, body: (pool: GeneratorPool) => Promise<T>): Promise<T> {
    await startBackend(backend, { wasmPath, threads: 1 });
    const { model, packed } = await tinyGeneratorModel('gqa', [5]);
    const pool = size === 0 ? createLocalPool(model) : createWorkerPool({ size, backend, wasmPath, model });
    try {
      await pool.setWeights(3, packed);
      return await body(pool);
    } finally {
      pool.dispose();
    }
  }

  test('1, 2 and 4 of them and none at all sample the same to the bit', async () => {
    const sample = (size: number) => withPool(size, (pool) => pool.generate(REQUESTS, SAMPLING));
    const here = await sample(0);
    expect(here.map(({ policyVersion }) => policyVersion)).toEqual([3, 3, 3, 3, 3]);
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
      expect(await pool.generate(REQUESTS, SAMPLING)).toEqual(groups);
    });
  });

  test('weights that are not finite come back as failed completions; the next weights work again', async () => {
    const { packed } = await tinyGeneratorModel('gqa', [5]);
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

  test('weights that break every worker are refused with the reason, and so is what is asked afterwards', async () => {
    const { packed } = await tinyGeneratorModel('gqa', [5]);
    await withPool(1, async (pool) => {
      await expect(pool.setWeights(4, packed.slice(1))).rejects.toThrow(`needs ${packed.length}`);
      await expect(pool.setWeights(5, packed)).rejects.toThrow(`needs ${packed.length}`);
      const failed = (await pool.generate(REQUESTS, SAMPLING)).flatMap(({ completions }) => completions);
      expect(new Set(failed.map(({ stopReason }) => stopReason))).toEqual(new Set(['error']));
    });
  });
});
