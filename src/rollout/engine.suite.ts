/** Decoding: batch invariance to the bit, ends of completions, abort, memory. Holds for every backend. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import type { LanguageModel } from '../model/languageModel.ts';
import {
  TINY_KINDS,
  tinyGeneratorModel,
  tinyModel,
  tinyPrompts,
  type TinyKind,
} from '../testing/tinyModels.ts';
import { DecodeEngine } from './engine.ts';
import { Generator } from './generator.ts';
import type { GroupRequest, SampledCompletion, SamplingSettings } from './types.ts';

const breathe = (): Promise<void> => Promise.resolve();
const SAMPLING: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 12 };
const STOP_TOKEN = 5;

const requests = (count: number, samples: number): GroupRequest[] =>
  tinyPrompts(count).map((promptIds, problem) => ({ promptIds, samples, seed: 3, step: 1, problem }));

function engineOf(kind: TinyKind): void {
  let model: LanguageModel;
  let engine: DecodeEngine;
  beforeAll(() => {
    model = tinyModel(kind);
    engine = new DecodeEngine(model, [STOP_TOKEN]);
  });
  afterAll(() => {
    engine.dispose();
    model.dispose();
  });
  const generate = (
    groups: readonly GroupRequest[],
    changes: Partial<SamplingSettings> = {},
  ): Promise<SampledCompletion[][]> => engine.generate(groups, { ...SAMPLING, ...changes }, { breathe });

  test('a row is the same to the bit alone, among 7 and among 64', async () => {
    const all = requests(64, 1);
    const among64 = await generate(all);
    expect(new Set(among64.map(([row]) => row?.tokens.length)).size).toBeGreaterThan(1);
    expect(await generate(all.slice(10, 17))).toEqual(among64.slice(10, 17));
    for (const one of [0, 12, 63]) expect(await generate(all.slice(one, one + 1))).toEqual([among64[one]]);
  });

  test('a sample is the same in a group of 1, of 8, and of one too large for a batch', async () => {
    const [request] = requests(1, 1) as [GroupRequest];
    const few = { maxTokens: 3 };
    const [large = []] = await generate([{ ...request, samples: 150 }], few);
    expect(large).toHaveLength(150);
    const [group = []] = await generate([{ ...request, samples: 8 }], few);
    expect(group).toEqual(large.slice(0, 8));
    expect(await generate([request], few)).toEqual([large.slice(0, 1)]);
    expect(new Set(large.map(({ tokens }) => tokens.join())).size).toBeGreaterThan(50);
  });

  test('groups dealt to 1, 2 or 4 generators give the same tokens and log-probabilities', async () => {
    const { model: generatorModel, packed } = await tinyGeneratorModel(kind, [STOP_TOKEN]);
    const groups = requests(6, 3);
    const runs: unknown[] = [];
    for (const size of [1, 2, 4]) {
      const results: unknown[] = Array.from({ length: groups.length });
      for (let worker = 0; worker < size; worker++) {
        const generator = new Generator(generatorModel);
        generator.setWeights(0, packed);
        const share = groups.filter((_, i) => i % size === worker);
        const answers = await generator.generate(share, SAMPLING, { breathe });
        answers.forEach((answer, i) => (results[i * size + worker] = answer));
        generator.dispose();
      }
      runs.push(results);
    }
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).toEqual(runs[0]);
  });

  test('every coordinate of a draw matters', async () => {
    const [request] = requests(1, 1) as [GroupRequest];
    const others = [{}, { seed: 4 }, { step: 2 }, { problem: 1 }].map((change) => ({
      ...request,
      ...change,
    }));
    const texts = (await generate(others)).map(([row]) => row?.tokens.join());
    expect(new Set(texts).size).toBe(others.length);
  });

  test('a completion ends with its first stop token or at the budget, and says which', async () => {
    const rows = (await generate(requests(16, 4))).flat();
    for (const { tokens, logprobs, stopReason } of rows) {
      const stop = tokens.indexOf(STOP_TOKEN);
      expect(stopReason).toBe(stop < 0 ? 'max_tokens' : 'eos');
      expect(tokens).toHaveLength(stop < 0 ? SAMPLING.maxTokens : stop + 1);
      expect(logprobs).toHaveLength(tokens.length);
    }
    expect(new Set(rows.map(({ stopReason }) => stopReason))).toEqual(new Set(['eos', 'max_tokens']));
    const [[one] = []] = await generate(requests(1, 1), { maxTokens: 1 });
    expect(one?.tokens).toHaveLength(1);
  });

  test('greedy decoding draws nothing at random, and top-k 1 is greedy but for its log-probabilities', async () => {
    const all = requests(5, 1);
    const greedy = await generate(all, { temperature: 0 });
    const reseeded = all.map((request) => ({ ...request, seed: 99 }));
    expect(await generate(reseeded, { temperature: 0 })).toEqual(greedy);
    const tokens = (groups: SampledCompletion[][]) => groups.flat().map((row) => row.tokens);
    expect(tokens(await generate(all, { topK: 1, temperature: 2 }))).toEqual(tokens(greedy));
    expect(tokens(await generate(all, { topP: 1e-6 }))).toEqual(tokens(greedy));
  });

  test('an abort rejects with its reason, and no tensor stays behind', async () => {
    const before = tf.memory().numTensors;
    const abort = new AbortController();
    const running = engine.generate(requests(4, 2), SAMPLING, {
      breathe,
      signal: abort.signal,
      onProgress: ({ tokens }) => tokens > 8 && abort.abort(new Error('enough')),
    });
    await expect(running).rejects.toThrow('enough');
    expect(tf.memory().numTensors).toBe(before);
  });

  test('progress counts tokens and ends; no tensor stays behind', async () => {
    const before = tf.memory().numTensors;
    const seen: { tokens: number; finished: number; total: number }[] = [];
    const rows = await engine.generate(requests(3, 2), SAMPLING, {
      breathe,
      onProgress: (progress) => seen.push(progress),
    });
    const tokens = rows.flat().reduce((sum, row) => sum + row.tokens.length, 0);
    expect(seen.at(-1)).toEqual({ tokens, finished: 6, total: 6 });
    expect(seen.every((now, i) => i === 0 || now.tokens > (seen[i - 1]?.tokens ?? 0))).toBe(true);
    expect(await generate([])).toEqual([]);
    expect(tf.memory().numTensors).toBe(before);
  });
}

export function engineSuite(): void {
  for (const kind of TINY_KINDS) {
    describe(`decoding, ${kind}`, () => {
      engineOf(kind);
    });
  }

  describe('Generator', () => {
    test('states its version, ignores one that is not newer, and needs weights first', async () => {
      const { model, packed } = await tinyGeneratorModel('gqa', [STOP_TOKEN]);
      const generator = new Generator(model);
      const [request] = requests(1, 1) as [GroupRequest];
      const sample = async () => (await generator.generate([request], SAMPLING, { breathe }))[0];
      await expect(sample()).rejects.toThrow('no weights');
      generator.setWeights(4, packed);
      const first = await sample();
      expect(first?.policyVersion).toBe(4);
      const other = tinyModel('gqa', 2);
      const otherPacked = await other.weights.pack();
      other.dispose();
      generator.setWeights(4, otherPacked);
      expect(await sample()).toEqual(first);
      generator.setWeights(5, otherPacked);
      const second = await sample();
      expect(second?.policyVersion).toBe(5);
      expect(second?.completions).not.toEqual(first?.completions);
      expect(() => generator.setWeights(6, packed.subarray(1))).toThrow(`${packed.length - 1} numbers`);
      generator.dispose();
    });

    test('weights that hold NaN are refused when they sample', async () => {
      const { model, packed } = await tinyGeneratorModel('mha', [STOP_TOKEN]);
      const generator = new Generator(model);
      generator.setWeights(0, packed.fill(NaN));
      await expect(generator.generate(requests(1, 1), SAMPLING, { breathe })).rejects.toThrow('not finite');
      generator.dispose();
    });
  });
}
