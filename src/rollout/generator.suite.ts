/** Versions of weights and the order of what is asked, on every backend. */
import { describe, expect, test } from 'vitest';
import { breathe } from '../backend/eventLoop.ts';
import { TINY_CONFIGS, TINY_KINDS, tinyPool, type TinyKind } from '../testing/tinyModels.ts';
import { tinyGenerator, tinyRequests, untimed } from './engine.suite.ts';
import { Generator } from './generator.ts';
import type { GroupRequest, SamplingSettings } from './types.ts';
import { weightsOf, type WeightBytes, type WeightPrecision } from './weightFormat.ts';

const SAMPLING: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 12, stop: [] };

const tinyWeights = (kind: TinyKind, seed = 1, precision: WeightPrecision = 'f32'): WeightBytes =>
  weightsOf(TINY_CONFIGS[kind], tinyPool(kind, seed), precision);

function tinyOne(kind: TinyKind, precision: WeightPrecision = 'f32') {
  const generator = new Generator(tinyGenerator(kind, [5]), precision, breathe);
  const sample = async (requests: readonly GroupRequest[] = tinyRequests(1, 1)) =>
    (await generator.generate(requests, SAMPLING)).map(untimed);
  return { generator, sample };
}

export function generatorSuite(): void {
  describe('Generator', () => {
    test.each(TINY_KINDS)('groups of %s dealt to 1, 2 or 4 generators give the same', async (kind) => {
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
    });

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

    test('bytes that are no weights of this model fail the requests that follow, until there are others', async () => {
      const { generator, sample } = tinyOne('mha');
      await generator.setWeights(1, tinyWeights('mha'));
      const good = await sample();
      await generator.setWeights(2, { precision: 'f32', bytes: new Uint8Array(256) });
      await expect(sample()).rejects.toThrow('could not take the weights of version 2');
      await expect(sample()).rejects.toThrow('256 bytes');
      await generator.setWeights(3, tinyWeights('mha'));
      expect((await sample())[0]?.completions).toEqual(good[0]?.completions);
      generator.dispose();
    });

    test('weights that hold NaN are refused when they sample', async () => {
      const { generator, sample } = tinyOne('mha');
      const weights = tinyWeights('mha');
      new Float32Array(weights.bytes.buffer).fill(NaN);
      await generator.setWeights(0, weights);
      await expect(sample()).rejects.toThrow('not finite');
      await generator.setWeights(1, tinyWeights('mha'));
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
}
