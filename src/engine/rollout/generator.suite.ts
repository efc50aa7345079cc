/** Versions of weights and the order of what is asked, on every backend. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { breathe } from '../backend/eventLoop.ts';
import type { ModelConfig } from '../model/config.ts';
import { adapterLength, mergedConfig, type LoraSettings } from '../model/lora.ts';
import { LORA_TARGETS } from '../model/loraTargets.ts';
import { mergeAdapter } from '../testing/mergeAdapter.ts';
import { drawsFor } from '@rl-playground/base/random';
import { TINY_CONFIGS, TINY_KINDS, tinyPool, type TinyKind } from '../testing/tinyModels.ts';
import { millisecondsNow } from './clock.ts';
import { tinyGenerator, tinyRequests, untimed } from './decoding/decoder.suite.ts';
import { Generator } from './generator.ts';
import type { GroupRequest, SamplingSettings } from './decoding/types.ts';
import { bytesOf, weightsOf, type WeightBytes, type WeightPrecision } from './decoding/weights.ts';

const SAMPLING: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 12, stop: [] };

const tinyWeights = (kind: TinyKind, seed = 1, precision: WeightPrecision = 'f32'): WeightBytes =>
  weightsOf(TINY_CONFIGS[kind], tinyPool(kind, seed), precision);

function tinyOne(kind: TinyKind, precision: WeightPrecision = 'f32') {
  const generator = new Generator(tinyGenerator(kind, [5]), precision, breathe);
  const sample = async (requests: readonly GroupRequest[] = tinyRequests(1, 1)) =>
    (await generator.generate(requests, SAMPLING)).map(untimed);
  return { generator, sample };
}

/** `few` tests one case of each kind of tiny model and of each precision, where a device compiles for seconds. */
export function generatorSuite(few = false): void {
  describe('Generator', () => {
    test.each(few ? (['gqa'] as const) : TINY_KINDS)(
      'groups of %s dealt to 1, 2 or 4 generators give the same',
      async (kind) => {
        const groups = tinyRequests(6, 3);
        const runs: unknown[] = [];
        for (const size of [1, 2, 4]) {
          const results: unknown[] = Array.from({ length: groups.length });
          for (let worker = 0; worker < size; worker++) {
            const { generator, sample } = tinyOne(kind);
            await generator.setWeights(0, tinyWeights(kind));
            const answers = await sample(groups.filter((_, i) => i % size === worker));
            answers.forEach((answer, i) => (results[i * size + worker] = answer));
            generator.dispose();
          }
          runs.push(results);
        }
        expect(runs[1]).toEqual(runs[0]);
        expect(runs[2]).toEqual(runs[0]);
      },
    );

    test('states its version, ignores one that is not newer, and needs weights first', async () => {
      const { generator, sample } = tinyOne('gqa');
      await expect(sample()).rejects.toThrow('no weights');
      await generator.setWeights(4, tinyWeights('gqa'));
      const [first] = await sample();
      expect(first?.policyVersion).toBe(4);
      await generator.setWeights(4, tinyWeights('gqa', 2));
      expect((await sample())[0]).toEqual(first);
      await generator.setWeights(5, tinyWeights('gqa', 2));
      const [second] = await sample();
      expect(second?.policyVersion).toBe(5);
      expect(second?.completions).not.toEqual(first?.completions);
      generator.dispose();
    });

    test('a request is answered with the newest weights before it, though others came while it waited', async () => {
      const { generator, sample } = tinyOne('gqa');
      const order: string[] = [];
      const noting = async <T>(what: string, work: Promise<T>): Promise<T> => {
        const result = await work;
        order.push(what);
        return result;
      };
      const answers = await Promise.all([
        noting('weights 1', generator.setWeights(1, tinyWeights('gqa', 1))).then(() => null),
        noting('first', sample()),
        noting('weights 2', generator.setWeights(2, tinyWeights('gqa', 2))).then(() => null),
        noting('second', sample()),
        noting('third', sample()),
        noting('weights 3', generator.setWeights(3, tinyWeights('gqa', 3))).then(() => null),
      ]);
      expect(answers.map((answer) => answer?.[0]?.policyVersion)).toEqual([
        undefined,
        1,
        undefined,
        2,
        2,
        undefined,
      ]);
      expect(answers[3]).toEqual(answers[4]);
      expect(order.filter((what) => !what.startsWith('weights'))).toEqual(['first', 'second', 'third']);
      const [fourth] = await sample();
      expect(fourth?.policyVersion).toBe(3);
      generator.dispose();

      const alone = tinyOne('gqa');
      await alone.generator.setWeights(2, tinyWeights('gqa', 2));
      expect(await alone.sample()).toEqual(answers[3]);
      alone.generator.dispose();
    });

    test('of versions that come during a request the last counts, and nobody keeps the bytes of the others', async () => {
      const { generator, sample } = tinyOne('gqa');
      const read: number[] = [];
      const give = (version: number): void => {
        const weights = tinyWeights('gqa', version);
        void generator.setWeights(version, weights).then(() => read.push(version));
      };
      give(1);
      const readAtRounds: number[][] = [];
      const long = { ...SAMPLING, maxTokens: 40 };
      const [group] = await generator.generate(tinyRequests(3, 2), long, {
        onProgress() {
          readAtRounds.push([...read]);
          if (readAtRounds.length === 2) for (const version of [2, 4, 3, 5]) give(version);
        },
      });
      expect(group?.policyVersion).toBe(1);
      expect(readAtRounds[1]).toEqual([1]);
      // Version 3 is older than one that had come, so it is not read at all.
      expect(readAtRounds.at(-1)?.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
      const [next] = await sample();
      expect(next?.policyVersion).toBe(5);
      generator.dispose();

      const alone = tinyOne('gqa');
      await alone.generator.setWeights(5, tinyWeights('gqa', 5));
      expect((await alone.sample())[0]).toEqual(next);
      alone.generator.dispose();
    });

    test('says when a request began and each group ended, and how long it worked without the turns it gave away', async () => {
      // A clock that goes on a little with each look, and by a quarter of an hour where the thread is given away.
      let now = performance.now();
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 0.01));
      onTestFinished(async () => {
        clock.mockRestore();
        // The event loop notes when it last had a turn.
        await breathe();
      });
      let turns = 0;
      const slow = async (): Promise<void> => {
        await breathe();
        turns++;
        now += 1e6;
      };
      const generator = new Generator(tinyGenerator('gqa', [5]), 'f32', slow);
      await generator.setWeights(0, tinyWeights('gqa'));
      expect(generator.busySeconds).toBe(0);
      const before = millisecondsNow();
      const requests = tinyRequests(3, 2);
      const [first, second] = await Promise.all([
        generator.generate(requests, SAMPLING),
        generator.generate(requests, SAMPLING),
      ]);
      const after = millisecondsNow();
      const ends = [first, second].map((groups) => groups.map(({ ended }) => ended));
      for (const groups of [first, second]) {
        expect(new Set(groups.map(({ began }) => began)).size).toBe(1);
        for (const { began, ended } of groups) expect(ended).toBeGreaterThan(began);
      }
      expect(first[0]?.began).toBeGreaterThanOrEqual(before);
      expect(second[0]?.began).toBeGreaterThanOrEqual(Math.max(...(ends[0] ?? [])));
      expect(Math.max(...ends.flat())).toBeLessThanOrEqual(after);
      expect(generator.busySeconds).toBeGreaterThan(0);
      expect(turns).toBeGreaterThan(0);
      expect(generator.busySeconds).toBeLessThan(1000);
      generator.dispose();
    });

    test('bytes that are no weights of this model fail the requests that follow, until there are others', async () => {
      const { generator, sample } = tinyOne('gqa');
      await generator.setWeights(1, tinyWeights('gqa'));
      const good = await sample();
      await generator.setWeights(2, { precision: 'f32', bytes: new Uint8Array(256) });
      await expect(sample()).rejects.toThrow('could not take the weights of version 2');
      await expect(sample()).rejects.toThrow('256 bytes');
      await generator.setWeights(3, tinyWeights('gqa'));
      expect((await sample())[0]?.completions).toEqual(good[0]?.completions);
      generator.dispose();
    });

    test('weights that hold NaN are refused when they sample', async () => {
      const { generator, sample } = tinyOne('gqa');
      const weights = tinyWeights('gqa');
      new Float32Array(weights.bytes.buffer).fill(NaN);
      await generator.setWeights(0, weights);
      await expect(sample()).rejects.toThrow('not finite');
      await generator.setWeights(1, tinyWeights('gqa'));
      expect(await sample()).toHaveLength(1);
      generator.dispose();
    });

    test('half-precision weights sample, a little differently', async () => {
      const whole = tinyOne('gqa');
      const half = tinyOne('gqa', 'f16');
      await whole.generator.setWeights(0, tinyWeights('gqa'));
      await half.generator.setWeights(0, tinyWeights('gqa', 1, 'f16'));
      const requests = tinyRequests(8, 2);
      const rows = async (one: typeof whole) =>
        (await one.sample(requests)).flatMap(({ completions }) => completions);
      const [exact, rounded] = [await rows(whole), await rows(half)];
      const differences = exact.map(({ logprobs }, i) =>
        Math.abs((logprobs[0] ?? 0) - (rounded[i]?.logprobs[0] ?? 0)),
      );
      expect(Math.max(...differences)).toBeGreaterThan(0);
      const [first] = exact.map(({ tokens }) => tokens[0]);
      expect(first).toBeTypeOf('number');
      const sameFirst = exact.filter(({ tokens }, i) => tokens[0] === rounded[i]?.tokens[0]);
      expect(sameFirst.length).toBeGreaterThanOrEqual(14);
      for (const generator of [whole.generator, half.generator]) generator.dispose();
    });
  });

  describe('Generator under LoRA', () => {
    const LORA: LoraSettings = { rank: 3, alpha: 6, targets: LORA_TARGETS };
    const REQUESTS = tinyRequests(5, 3);

    function tinyAdapter(kind: TinyKind, seed = 1): Float32Array<ArrayBuffer> {
      const draw = drawsFor(seed);
      return Float32Array.from({ length: adapterLength(TINY_CONFIGS[kind], LORA) }, () => draw() - 0.5);
    }

    function loraOne(kind: TinyKind, precision: WeightPrecision = 'f32') {
      const generator = new Generator({ ...tinyGenerator(kind, [5]), lora: LORA }, precision, breathe);
      const sample = async () => (await generator.generate(REQUESTS, SAMPLING)).map(untimed);
      return { generator, sample };
    }

    /** Returns the answers of a generator without LoRA from the weights of a pool. */
    async function plain(
      config: ModelConfig,
      pool: Float32Array,
      version: number,
      precision: WeightPrecision = 'f32',
    ) {
      const generator = new Generator({ ...tinyGenerator('gqa', [5]), config }, precision, breathe);
      await generator.setWeights(version, weightsOf(config, pool, precision));
      const answers = (await generator.generate(REQUESTS, SAMPLING)).map(untimed);
      generator.dispose();
      return answers;
    }

    /** Rows that part from the others by a draw, and how far log-probabilities are apart before. */
    function apart(found: Awaited<ReturnType<typeof plain>>, expected: typeof found) {
      const [ours, theirs] = [found, expected].map((groups) => groups.flatMap((group) => group.completions));
      let worst = 0;
      const parted = (ours ?? []).filter(({ tokens, logprobs }, row) => {
        const other = theirs?.[row];
        const end = tokens.findIndex((token, i) => token !== other?.tokens[i]);
        logprobs.slice(0, end < 0 ? undefined : end).forEach((logprob, i) => {
          worst = Math.max(worst, Math.abs(logprob - (other?.logprobs[i] ?? NaN)));
        });
        return end >= 0 || tokens.length !== other?.tokens.length;
      });
      return { parted: parted.length, worst };
    }

    const all = TINY_KINDS.flatMap((kind) => [[kind, 'f32'] as const, [kind, 'f16'] as const]);
    const two = all.filter(([kind, precision]) => kind === (precision === 'f16' ? 'gqa' : 'mha'));
    test.each(few ? two : all)(
      '%s in %s: the base alone samples to the bit what it does without LoRA, with an adapter what weights merged in float64 do',
      async (kind, precision) => {
        const config = TINY_CONFIGS[kind];
        const base = tinyPool(kind);
        const { generator, sample } = loraOne(kind, precision);
        await generator.setWeights(0, tinyWeights(kind));
        expect(await sample()).toEqual(await plain(config, base, 0, precision));
        for (const version of [1, 2]) {
          const adapter = tinyAdapter(kind, version);
          await generator.setAdapter(version, bytesOf(adapter));
          // The factors may be changed at once, and the base has not been.
          const merged = mergeAdapter(config, base, adapter.slice(), LORA);
          adapter.fill(0);
          const answers = await sample();
          const expected = await plain(mergedConfig(config, LORA), merged, version, precision);
          expect(answers.map(({ policyVersion }) => policyVersion)).toEqual(REQUESTS.map(() => version));
          const { parted, worst } = apart(answers, expected);
          // 15 rows. A sum that rounds to another half is off by a thousandth of a weight.
          expect(parted).toBeLessThanOrEqual(1);
          expect(worst).toBeLessThan(precision === 'f32' ? 2e-5 : 2e-3);
          expect(answers).not.toEqual(await plain(config, base, version, precision));
        }
        generator.dispose();
      },
    );

    test.each(few ? (['f32'] as const) : (['f32', 'f16'] as const))(
      'in %s nothing is left of earlier adapters: a base, and an adapter, sample what they do at first, to the bit',
      async (precision) => {
        const first = loraOne('mha', precision);
        await first.generator.setWeights(0, tinyWeights('mha', 2));
        await first.generator.setAdapter(8, bytesOf(tinyAdapter('mha', 8)));
        const adapted = await first.sample();
        const { generator, sample } = loraOne('mha', precision);
        await generator.setWeights(0, tinyWeights('mha'));
        for (const version of [1, 2, 3]) {
          await generator.setAdapter(version, bytesOf(tinyAdapter('mha', version)));
          if (version < 3) await sample();
        }
        await generator.setWeights(7, tinyWeights('mha', 2));
        expect(await sample()).toEqual(await plain(TINY_CONFIGS.mha, tinyPool('mha', 2), 7, precision));
        await generator.setAdapter(8, bytesOf(tinyAdapter('mha', 8)));
        expect(await sample()).toEqual(adapted);
        for (const one of [first.generator, generator]) one.dispose();
      },
    );

    test('a base has no adapter before its first, of whichever version', async () => {
      const { generator, sample } = loraOne('gqa');
      const version = async () => (await sample())[0]?.policyVersion;
      await generator.setWeights(7, tinyWeights('gqa'));
      expect(await version()).toBe(7);
      await generator.setAdapter(7, bytesOf(tinyAdapter('gqa')));
      const adapted = await sample();
      expect(adapted).not.toEqual(await plain(TINY_CONFIGS.gqa, tinyPool('gqa'), 7));
      for (const old of [6, 7]) {
        await generator.setAdapter(old, bytesOf(tinyAdapter('gqa', 2)));
        expect(await sample()).toEqual(adapted);
      }
      await generator.setWeights(8, tinyWeights('gqa', 2));
      expect(await sample()).toEqual(await plain(TINY_CONFIGS.gqa, tinyPool('gqa', 2), 8));
      await generator.setAdapter(3, bytesOf(tinyAdapter('gqa')));
      expect(await version()).toBe(3);
      generator.dispose();
    });

    test('an adapter that nothing can be merged with fails the requests that follow, until there is another', async () => {
      const { generator, sample } = loraOne('gqa');
      await expect(sample()).rejects.toThrow('no weights yet');
      await generator.setAdapter(0, bytesOf(tinyAdapter('gqa')));
      await expect(sample()).rejects.toThrow('the adapter of version 0: it has no base');
      await generator.setWeights(0, tinyWeights('gqa'));
      await generator.setAdapter(1, bytesOf(tinyAdapter('gqa').subarray(1)));
      await expect(sample()).rejects.toThrow(`need ${tinyAdapter('gqa').length}`);
      await generator.setAdapter(2, bytesOf(tinyAdapter('gqa')));
      expect((await sample())[0]?.policyVersion).toBe(2);
      generator.dispose();

      const without = tinyOne('gqa');
      await without.generator.setWeights(0, tinyWeights('gqa'));
      await without.generator.setAdapter(1, bytesOf(tinyAdapter('gqa')));
      await expect(without.sample()).rejects.toThrow('without LoRA');
      without.generator.dispose();
    });

    test('an impossible adapter is refused at the start', () => {
      const model = { ...tinyGenerator('gqa', [5]), lora: { ...LORA, rank: 1000 } };
      expect(() => new Generator(model, 'f32', breathe)).toThrow('rank is 1000');
    });
  });
}
