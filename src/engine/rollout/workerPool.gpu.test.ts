/** Generators in real Web Workers: how many there are changes nothing, and what fails in one stays data. */
import { afterAll, describe, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { adapterLength, type LoraSettings } from '../model/lora.ts';
import { drawsFor } from '@rl-playground/base/random';
import { freshInputs } from '../kernels/testing/random.ts';
import { randomFrozenBase } from '../testing/frozenBases.ts';
import { watchWorkers } from '../testing/faultyWorkers.ts';
import { casesOf, everyCase } from '../testing/gpu.ts';
import { heldAlarms } from '@rl-playground/base/testing/heldAlarms';
import { tinyPool, tinyPrompts } from '../testing/tinyModels.ts';
import { tinyGenerator, tinyRequests, untimed } from './decoding/decoder.suite.ts';
import { createLocalPool } from './localPool.ts';
import type { GeneratorPool, GroupResult, SamplingProgress, SamplingSettings } from './decoding/types.ts';
import type { WeightPrecision } from './decoding/weights.ts';
import { createWorkerPool, type WorkerPoolOptions } from './workerPool.ts';

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

/** However long a worker says nothing, no other takes its place. */
const startPool = (options: WorkerPoolOptions) => createWorkerPool({ ...options, timers: heldAlarms() });

describe.each(['wasm', 'webgpu'] as const)('workers on %s', (backend) => {
  const sizes = casesOf([1, 2, 4], backend === 'wasm' ? [2] : [1]);
  // One alone on wasm is asked under LoRA and in half precision; tests of something else ask `usual`.
  const usual = sizes.includes(2) ? 2 : 1;
  // A pool knows nothing of the backend of its workers, and a worker on WebGPU compiles every kernel anew.
  const whole = backend === 'wasm' || everyCase;

  async function openPool(size: number, precision: WeightPrecision = 'f32'): Promise<GeneratorPool> {
    await startBackend(backend, { wasmPath, threads: 1 });
    const pool =
      size === 0
        ? createLocalPool(model, precision)
        : startPool({ size, backend, wasmPath, model, precision });
    await pool.setWeights(3, tinyPool('gqa'));
    return pool;
  }

  /** Runs `body` with an engine in this thread, whose weights it may change. */
  async function withLocalPool<T>(body: (pool: GeneratorPool) => Promise<T>): Promise<T> {
    const pool = await openPool(0);
    try {
      return await body(pool);
    } finally {
      pool.dispose();
    }
  }

  /** Workers load and compile for seconds, so tests share theirs: those that leave the weights as they are, and those that change them. */
  const shared = new Map<string, Promise<GeneratorPool>>();
  const sharedPool = (
    size: number,
    precision: WeightPrecision = 'f32',
    use: 'unchanged' | 'changed' = 'unchanged',
  ): Promise<GeneratorPool> => {
    const key = `${size} ${precision} ${use}`;
    const pool = shared.get(key) ?? openPool(size, precision);
    shared.set(key, pool);
    return pool;
  };
  /** The pool for tests that change its weights, with those of version `since`: each test takes versions behind those before it. */
  let newest = 3;
  async function changedPool(): Promise<{ pool: GeneratorPool; since: number }> {
    const pool = await sharedPool(2, 'f32', 'changed');
    const since = newest + 1;
    newest += 10;
    await pool.setWeights(since, tinyPool('gqa'));
    return { pool, since };
  }
  afterAll(async () => {
    for (const pool of shared.values()) (await pool).dispose();
  });

  test(`${sizes.join(', ')} of them and none at all sample the same to the bit`, async () => {
    const sample = async (size: number) => ask(await sharedPool(size));
    const here = await sample(0);
    expect(here.map(({ policyVersion }) => policyVersion)).toEqual([3, 3, 3, 3, 3]);
    for (const size of sizes) expect(await sample(size)).toEqual(here);
  });

  test('stop strings reach the workers: the same rows to the bit as without workers, some of them ended by one', async () => {
    const stopping = { ...SAMPLING, stop: ['a\n', 'bc', 'é'] };
    const sample = async (size: number) => ask(await sharedPool(size), stopping);
    const here = await sample(0);
    const ends = here.flatMap(({ completions }) => completions.map(({ stopReason }) => stopReason));
    expect(ends).toContain('stop');
    for (const size of sizes) expect(await sample(size)).toEqual(here);
  });

  test('progress adds up over workers, and an abort rejects with its reason', async () => {
    const pool = await sharedPool(usual);
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

  test.runIf(whole)(
    'half-precision weights: workers sample what an engine in this thread samples',
    async () => {
      const here = await ask(await sharedPool(0, 'f16'));
      expect(await ask(await sharedPool(1, 'f16'))).toEqual(here);
      expect(here).not.toEqual(await ask(await sharedPool(0)));
    },
  );

  test.runIf(whole)(
    'published weights may be changed at once, and each request gets those before it',
    async () => {
      const { pool, since } = await changedPool();
      const versions = [1, 2, 3, 4, 5].map((later) => since + later);
      const packed = tinyPool('gqa', 2);
      const asked: Promise<unknown>[] = [];
      for (const version of versions) {
        await pool.setWeights(version, packed);
        packed.fill(version);
        asked.push(pool.generate(REQUESTS, SAMPLING).then(([first]) => first?.policyVersion));
        packed.set(tinyPool('gqa', version));
      }
      expect(await Promise.all(asked)).toEqual(versions);
      const [last] = await ask(pool);
      await withLocalPool(async (alone) => {
        await alone.setWeights(since + 5, tinyPool('gqa', since + 4));
        expect((await ask(alone))[0]).toEqual(last);
      });
    },
  );

  test.runIf(whole)(
    'weights that are not finite come back as failed completions; the next weights work again',
    async () => {
      const { pool, since } = await changedPool();
      const packed = tinyPool('gqa');
      const good = await pool.generate(REQUESTS, SAMPLING);
      await pool.setWeights(
        since + 1,
        packed.map(() => NaN),
      );
      const failed = (await pool.generate(REQUESTS, SAMPLING)).flatMap(({ completions }) => completions);
      expect(failed).toHaveLength(15);
      for (const { tokens, stopReason, error } of failed) {
        expect({ tokens, stopReason }).toEqual({ tokens: [], stopReason: 'error' });
        expect(error).toContain('not finite');
      }
      await pool.setWeights(since + 2, packed);
      const again = await pool.generate(REQUESTS, SAMPLING);
      expect(again.map(({ completions }) => completions)).toEqual(good.map(({ completions }) => completions));
    },
  );

  test('a pool of another model is refused at once, and what is asked then is answered as before', async () => {
    const packed = tinyPool('gqa');
    const pool = await sharedPool(usual);
    const good = await ask(pool);
    await expect(pool.setWeights(4, packed.slice(1))).rejects.toThrow(`needs ${packed.length}`);
    expect(await ask(pool)).toEqual(good);
  });

  test.each([1, 3])('each of %i groups is heard of once and as in the result', async (count) => {
    const pool = await sharedPool(usual);
    await pool.generate(REQUESTS, SAMPLING);
    const busyBefore = pool.busySeconds;
    const requests = REQUESTS.slice(0, count);
    const heard = new Map<number, GroupResult>();
    const groups = await pool.generate(requests, SAMPLING, {
      onGroup(index, group) {
        expect(heard.has(index)).toBe(false);
        heard.set(index, group);
      },
    });
    expect(requests.map((_, index) => heard.get(index))).toEqual(groups);
    expect(heard.size).toBe(count);
    for (const { completions } of groups) expect(completions).toHaveLength(3);
    expect(pool.busySeconds).toBeGreaterThan(busyBefore);
  });

  test('groups of one generator have times that follow each other', async () => {
    const pool = await sharedPool(usual);
    // Times of several threads are not compared: each has a clock of its own, which `millisecondsNow` counts from 1970 (`clock.test.ts`).
    let before = 0;
    for (let i = 0; i < 3; i++) {
      const [group] = await pool.generateOn(usual - 1, REQUESTS.slice(i, i + 1), SAMPLING);
      const { began, ended } = group ?? { began: NaN, ended: NaN };
      expect(began).toBeGreaterThanOrEqual(before);
      expect(ended).toBeGreaterThanOrEqual(began);
      before = ended;
    }
  });

  test.runIf(whole)(
    'each generator answers what it alone is asked, in order and with the weights before it',
    async () => {
      const { pool, since } = await changedPool();
      const alone = await withLocalPool(async (local) => {
        const answers: unknown[] = [];
        for (const version of [since, since + 1, since + 2]) {
          await local.setWeights(version, tinyPool('gqa', version === since ? 1 : version));
          answers.push(await ask(local));
        }
        return answers;
      });
      const order: string[] = [];
      const askOne = async (generator: number, name: string) => {
        const groups = await pool.generateOn(generator, REQUESTS, SAMPLING);
        order.push(name);
        return groups.map(untimed);
      };
      const asked = [askOne(1, 'a'), askOne(0, 'A'), askOne(1, 'b')];
      await pool.setWeights(since + 1, tinyPool('gqa', since + 1));
      asked.push(askOne(1, 'c'));
      await pool.setWeights(since + 2, tinyPool('gqa', since + 2));
      asked.push(askOne(1, 'd'), askOne(0, 'D'));
      const answers = await Promise.all(asked);
      expect(answers).toEqual([0, 0, 0, 1, 2, 2].map((i) => alone[i]));
      expect(order.filter((name) => 'abcd'.includes(name)).join('')).toBe('abcd');
      expect(order.filter((name) => 'AD'.includes(name)).join('')).toBe('AD');
      await expect(pool.generateOn(2, REQUESTS, SAMPLING)).rejects.toThrow('no generator 2; this pool has 2');
    },
  );

  test.runIf(whole)('many versions are published while one long request is answered', async () => {
    const { pool, since } = await changedPool();
    const stop = new AbortController();
    const versions = new Set<number>();
    // Far more than is waited for: neither request ends before it is stopped.
    const long = tinyRequests(10_000, 6);
    const asked = [0, 1].map((generator) => {
      const heard = new Heard();
      const onGroup = (_: number, { policyVersion }: GroupResult): void => {
        versions.add(policyVersion);
        heard.another();
      };
      const options = { signal: stop.signal, onGroup };
      const ended = pool.generateOn(generator, long, { ...SAMPLING, maxTokens: 50 }, options).then(
        () => 'answered',
        (error: unknown) => error,
      );
      return { heard, ended };
    });
    await Promise.all(asked.map(({ heard }) => heard.next()));
    for (let version = since + 1; version < since + 6; version++)
      await pool.setWeights(version, tinyPool('gqa', version));
    await Promise.all(asked.map(({ heard }) => heard.next()));
    const reason = new Error('enough');
    stop.abort(reason);
    // Were a version to wait for the requests under way, both would be answered by now.
    expect(await Promise.all(asked.map(({ ended }) => ended))).toEqual([reason, reason]);
    expect([...versions]).toEqual([since]);
    const [next] = await ask(pool);
    expect(next?.policyVersion).toBe(since + 5);
  });

  describe('LoRA', () => {
    const lora: LoraSettings = { rank: 3, alpha: 6, targets: ['q_proj', 'down_proj', 'lm_head'] };
    const { config } = model;
    const factors = (seed: number): Float32Array<ArrayBuffer> => {
      const draw = drawsFor(seed);
      return Float32Array.from({ length: adapterLength(config, lora) }, () => draw() - 0.5);
    };

    test.each(casesOf<WeightPrecision>(['f32', 'f16'], backend === 'wasm' ? ['f32'] : []))(
      'in %s, any number of workers answers what one in this thread does, to the bit',
      async (precision) => {
        await startBackend(backend, { wasmPath, threads: 1 });
        const alone = createLocalPool({ ...model, lora }, precision);
        const base = tinyPool('gqa');
        await alone.setWeights(0, base);
        await alone.setAdapter(2, factors(2));
        const expected = await ask(alone);
        alone.dispose();
        const pool = startPool({ size: 2, backend, wasmPath, model: { ...model, lora }, precision });
        await pool.setWeights(0, base);
        expect(pool.handedOverBytes).toBe(base.byteLength);
        base.fill(NaN);
        for (const version of [1, 2]) {
          const packed = factors(version);
          await pool.setAdapter(version, packed);
          packed.fill(NaN);
          expect(pool.handedOverBytes).toBe(4 * adapterLength(config, lora));
        }
        expect(await ask(pool)).toEqual(expected);
        pool.dispose();
      },
    );

    // On WebGPU `gpu/frozenWeights.gpu.test.ts` decodes beside a frozen base.
    test.runIf(whole)(
      'beside a frozen base, on the page and in a worker: the same answers to the bit, and others with an adapter',
      async () => {
        await startBackend(backend, { wasmPath, threads: 1 });
        const base = await randomFrozenBase(model.config, 'bf16', freshInputs());
        const frozen = { ...model, lora, frozen: base.formats };
        const answers = [];
        for (const pool of [
          createLocalPool(frozen),
          startPool({ size: 1, backend, wasmPath, model: frozen }),
        ]) {
          await pool.setBase(0, base);
          const first = await ask(pool);
          await pool.setAdapter(1, factors(1));
          answers.push({ first, second: await ask(pool) });
          pool.dispose();
        }
        const [here, there] = answers;
        expect(there).toEqual(here);
        expect(here?.second[0]?.completions).not.toEqual(here?.first[0]?.completions);
        base.dispose();
      },
    );

    // A browser breaks three over the same answers in `e2e/brokenGenerator.spec.ts`, too.
    test.runIf(whole)(
      `another worker takes the place of one that breaks and answers what is left${everyCase ? '; the third break over the same answers gives them up' : ''}`,
      async () => {
        const { workers, restore } = watchWorkers();
        const pool = startPool({ size: 1, backend, wasmPath, model: { ...model, lora } });
        const fail = (): void => {
          workers.at(-1)?.dispatchEvent(new ErrorEvent('error', { message: 'broken on purpose' }));
        };
        try {
          await pool.setWeights(0, tinyPool('gqa'));
          await pool.setAdapter(1, factors(1));
          const whole = await ask(pool);
          const busy = pool.busySeconds;
          const heard = new Map<number, GroupResult>();
          const groups = await pool.generate(REQUESTS, SAMPLING, {
            onGroup(index, group) {
              expect(heard.has(index)).toBe(false);
              heard.set(index, group);
              if (heard.size <= (everyCase ? 2 : 1)) fail();
            },
          });
          expect(workers).toHaveLength(everyCase ? 3 : 2);
          expect(REQUESTS.map((_, index) => heard.get(index))).toEqual(groups);
          expect(groups.map(untimed)).toEqual(whole);
          expect(pool.busySeconds).toBeGreaterThan(busy);
          if (!everyCase) return;
          const given = pool.generate(REQUESTS, SAMPLING, { onGroup: fail });
          await expect(given).rejects.toThrow(/broke 3 times over the same answers: broken on purpose/);
          expect(workers).toHaveLength(5);
          // Nobody is there to read them, so nobody is waited for.
          for (const version of [2, 3, 4]) await pool.setAdapter(version, factors(1));
          expect(await ask(pool)).toEqual(whole.map((group) => ({ ...group, policyVersion: 4 })));
        } finally {
          restore();
          pool.dispose();
        }
      },
    );

    test('an impossible adapter is refused before any worker is started', () => {
      const { workers, restore } = watchWorkers();
      const impossible = { ...model, lora: { ...lora, rank: 1000 } };
      expect(() => startPool({ size: 1, backend, wasmPath, model: impossible })).toThrow('rank is 1000');
      expect(workers).toEqual([]);
      restore();
    });
  });
});

/** Something that is heard again and again. */
class Heard {
  #resolve = (): void => undefined;

  /** Resolves when it is heard once more. */
  next(): Promise<void> {
    return new Promise((resolve) => (this.#resolve = resolve));
  }

  another(): void {
    this.#resolve();
  }
}
