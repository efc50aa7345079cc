/** What holds for every way to decode: batch invariance to the bit, ends of completions, abort. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TINY_CONFIGS, TINY_POSITIONS, tinyPool, tinyPrompts, type TinyKind } from '../testing/tinyModels.ts';
import type { DecodeEngine, GeneratorModel } from './engine.ts';
import type { GroupRequest, SampledCompletion, SamplingSettings } from './types.ts';
import { weightsOf } from './weightFormat.ts';

const breathe = (): Promise<void> => Promise.resolve();
const SAMPLING: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 12, stop: [] };
const STOP_TOKEN = 5;

/** Requests on different prompts of 1 to 40 tokens. */
export const tinyRequests = (count: number, samples: number): GroupRequest[] =>
  tinyPrompts(count).map((promptIds, problem) => ({ promptIds, samples, seed: 3, step: 1, problem }));

export function tinyGenerator(kind: TinyKind, stopTokenIds: readonly number[]): GeneratorModel {
  return { config: TINY_CONFIGS[kind], stopTokenIds, positions: TINY_POSITIONS };
}

/**
 * Tests of one engine. `memory`: what it holds besides weights, in any unit. `most`: rows of the largest batch; where barriers
 * are slow, 150 rows take minutes.
 */
export function engineSuite(
  kind: TinyKind,
  create: (model: GeneratorModel) => DecodeEngine,
  memory: () => number,
  most = 150,
): void {
  let engine: DecodeEngine;
  beforeAll(() => {
    engine = create(tinyGenerator(kind, [STOP_TOKEN]));
    engine.setWeights(weightsOf(TINY_CONFIGS[kind], tinyPool(kind), 'f32'));
  });
  afterAll(() => engine.dispose());

  const generate = (
    groups: readonly GroupRequest[],
    changes: Partial<SamplingSettings> = {},
  ): Promise<SampledCompletion[][]> => engine.generate(groups, { ...SAMPLING, ...changes }, { breathe });

  test('a row is the same to the bit alone, among 7 and among 64', async () => {
    const count = Math.min(most, 64);
    const all = tinyRequests(count, 1);
    const together = await generate(all);
    expect(new Set(together.map(([row]) => row?.tokens.length)).size).toBeGreaterThan(1);
    const seven = Math.floor(count / 3);
    expect(await generate(all.slice(seven, seven + 7))).toEqual(together.slice(seven, seven + 7));
    for (const one of [0, count - 1])
      expect(await generate(all.slice(one, one + 1))).toEqual([together[one]]);
  });

  test('a sample is the same in a group of 1, of 8, and of one too large for a batch', async () => {
    const [request] = tinyRequests(1, 1) as [GroupRequest];
    const few = { maxTokens: 3 };
    const [large = []] = await generate([{ ...request, samples: most }], few);
    expect(large).toHaveLength(most);
    const [group = []] = await generate([{ ...request, samples: 8 }], few);
    expect(group).toEqual(large.slice(0, 8));
    expect(await generate([request], few)).toEqual([large.slice(0, 1)]);
    expect(new Set(large.map(({ tokens }) => tokens.join())).size).toBeGreaterThan(most / 3);
  });

  test('rows that enter where others have ended are those of a batch of their own', async () => {
    // More rows than slots, of many lengths: most enter late, some long after their group's prompt.
    const groups = tinyRequests(Math.ceil(most / 5), 7);
    const rows = groups.reduce((sum, { samples }) => sum + samples, 0);
    const together = await generate(groups);
    expect(together.flat()).toHaveLength(rows);
    const last = groups.length - 1;
    for (const one of [0, Math.floor(last / 2), last]) {
      expect(await generate(groups.slice(one, one + 1))).toEqual([together[one]]);
    }
  });

  test('every coordinate of a draw matters', async () => {
    const [request] = tinyRequests(1, 1) as [GroupRequest];
    const others = [{}, { seed: 4 }, { step: 2 }, { problem: 1 }].map((change) => ({
      ...request,
      ...change,
    }));
    const texts = (await generate(others)).map(([row]) => row?.tokens.join());
    expect(new Set(texts).size).toBe(others.length);
  });

  test('a completion ends with its first stop token or at the budget, and says which', async () => {
    const rows = (await generate(tinyRequests(16, 2))).flat();
    for (const { tokens, logprobs, stopReason } of rows) {
      const stop = tokens.indexOf(STOP_TOKEN);
      expect(stopReason).toBe(stop < 0 ? 'max_tokens' : 'eos');
      expect(tokens).toHaveLength(stop < 0 ? SAMPLING.maxTokens : stop + 1);
      expect(logprobs).toHaveLength(tokens.length);
    }
    expect(new Set(rows.map(({ stopReason }) => stopReason))).toEqual(new Set(['eos', 'max_tokens']));
    const [[one] = []] = await generate(tinyRequests(1, 1), { maxTokens: 1 });
    expect(one?.tokens).toHaveLength(1);
  });

  test('greedy decoding draws nothing at random, and top-k 1 is greedy but for its log-probabilities', async () => {
    const all = tinyRequests(5, 1);
    const greedy = await generate(all, { temperature: 0 });
    const reseeded = all.map((request) => ({ ...request, seed: 99 }));
    expect(await generate(reseeded, { temperature: 0 })).toEqual(greedy);
    const tokens = (groups: SampledCompletion[][]) => groups.flat().map((row) => row.tokens);
    expect(tokens(await generate(all, { topK: 1, temperature: 2 }))).toEqual(tokens(greedy));
    expect(tokens(await generate(all, { topP: 1e-6 }))).toEqual(tokens(greedy));
  });

  test('an abort rejects with its reason and leaves nothing; what follows is as ever', async () => {
    const requests = tinyRequests(4, 2);
    const whole = await generate(requests);
    const before = memory();
    const abort = new AbortController();
    const running = engine.generate(requests, SAMPLING, {
      breathe,
      signal: abort.signal,
      onProgress: () => abort.abort(new Error('enough')),
    });
    await expect(running).rejects.toThrow('enough');
    expect(memory()).toBe(before);
    expect(await generate(requests)).toEqual(whole);
  });

  test('progress counts tokens and ends; nothing stays behind', async () => {
    await generate(tinyRequests(3, 2));
    const before = memory();
    const seen: { tokens: number; finished: number; total: number }[] = [];
    const rows = await engine.generate(tinyRequests(3, 2), SAMPLING, {
      breathe,
      onProgress: (progress) => seen.push(progress),
    });
    const tokens = rows.flat().reduce((sum, row) => sum + row.tokens.length, 0);
    expect(seen.at(-1)).toEqual({ tokens, finished: 6, total: 6 });
    expect(seen.every((now, i) => i === 0 || now.tokens > (seen[i - 1]?.tokens ?? 0))).toBe(true);
    expect(await generate([])).toEqual([]);
    expect(memory()).toBe(before);
  });

  test('a prompt and completion longer than the positions are refused with the numbers', async () => {
    const promptIds = Array.from({ length: TINY_POSITIONS - 3 }, () => 1);
    const request = { promptIds, samples: 1, seed: 0, step: 0, problem: 0 };
    await expect(generate([request], { maxTokens: 4 })).rejects.toThrow(`${TINY_POSITIONS - 3} tokens and 4`);
    expect((await generate([request], { maxTokens: 3 }))[0]).toHaveLength(1);
  });
}
