/** Properties of every decoder: batch invariance to the bit, ends of completions, abort. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textOfTokens } from '../../hub/tokenBytes.ts';
import { tokenTable } from '../../testing/tokenTable.ts';
import {
  TINY_CONFIGS,
  TINY_POSITIONS,
  tinyPool,
  tinyPrompts,
  type TinyKind,
} from '../../testing/tinyModels.ts';
import type { Decoder, GeneratorModel } from './decoder.ts';
import type { GroupRequest, GroupResult, SampledCompletion, SamplingSettings } from './types.ts';
import { weightsOf } from './weights.ts';

const breathe = (): Promise<void> => Promise.resolve();
const SAMPLING: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 12, stop: [] };
const STOP_TOKEN = 5;
/**
 * The texts of the tiny models' 29 tokens, in few letters, so that random text holds short strings often. Some tokens
 * are the first byte of é, some its second; the stop token has no text.
 */
const TINY_TOKENS = tokenTable(
  Array.from({ length: 29 }, (_, id) => {
    if (id % 7 === 3) return [0xc3];
    if (id % 7 === 4) return [0xa9];
    return id === STOP_TOKEN ? '' : (['a', 'b', 'c', 'ab', 'ba', 'cab', '\n', '\n\n'][id % 8] ?? '');
  }),
);

/** Requests on different prompts of 1 to 40 tokens. */
export const tinyRequests = (count: number, samples: number): GroupRequest[] =>
  tinyPrompts(count).map((promptIds, problem) => ({ promptIds, samples, seed: 3, step: 1, problem }));

/** The part of a result that must be equal in two answers. */
export const untimed = ({
  completions,
  policyVersion,
}: GroupResult): Omit<GroupResult, 'began' | 'ended'> => ({
  completions,
  policyVersion,
});

export function tinyGenerator(kind: TinyKind, stopTokenIds: readonly number[]): GeneratorModel {
  return { config: TINY_CONFIGS[kind], stopTokenIds, positions: TINY_POSITIONS, tokenBytes: TINY_TOKENS };
}

export interface DecoderSuite {
  readonly kind: TinyKind;
  readonly create: (model: GeneratorModel) => Decoder;
  /** Returns the memory that the engine holds besides weights, in any unit. */
  readonly memory: () => number;
  /** The rows of the largest batch; where barriers are slow, 150 rows take minutes. */
  readonly most?: number;
  /** True if only the work of the engine's kernels is tested, and not the rounds on the host that use their results. */
  readonly kernelsOnly?: boolean;
  /** True if all lists of stop strings and all budgets are tested; otherwise a few are. */
  readonly everyCase?: boolean;
}

/** Tests of one engine. */
export function decoderSuite({
  kind,
  create,
  memory,
  most = 150,
  kernelsOnly = false,
  everyCase = true,
}: DecoderSuite): void {
  let engine: Decoder;
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

  test('noise on the logits moves draws and log-probabilities, and rows still do not see each other', async () => {
    const all = tinyRequests(6, 2);
    const plain = await generate(all);
    expect(await generate(all, { logitNoise: 0 })).toEqual(plain);
    const noisy = await generate(all, { logitNoise: 1 });
    expect(await generate(all.slice(4, 5), { logitNoise: 1 })).toEqual([noisy[4]]);
    const first = (groups: SampledCompletion[][]) => groups.flat().map(({ logprobs }) => logprobs[0] ?? NaN);
    first(noisy).forEach((logprob, i) => expect(logprob).not.toBe(first(plain)[i]));
    expect(Math.max(...noisy.flat().flatMap(({ logprobs }) => logprobs))).toBeLessThan(0);
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

  if (kernelsOnly) return;

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

  /** Finds the end of a row under stop strings by searching the text of one that was sampled without them. */
  function cutAt(stops: readonly string[], row: SampledCompletion): SampledCompletion {
    const kept = row.tokens.findIndex((_, i) => {
      const text = textOfTokens(TINY_TOKENS, row.tokens.slice(0, i + 1));
      return stops.some((stop) => text.includes(stop));
    });
    if (kept < 0) return row;
    const cut = { tokens: row.tokens.slice(0, kept + 1), logprobs: row.logprobs.slice(0, kept + 1) };
    // A stop token has no text, so it never ends a stop string.
    return { ...cut, stopReason: 'stop' };
  }

  test('a row ends where its text first holds a stop string, and is the same until then', async () => {
    // More rows than slots: what enters where a row was stopped must not notice.
    const groups = tinyRequests(Math.ceil(most / 3), 4);
    const long = { maxTokens: 40 };
    const free = await generate(groups, long);
    const lists = [['é'], ['ab\n', 'cc', 'a\n\nb'], ['ca'], ['bab', '\n\n\n'], ['zz']];
    for (const stop of lists.slice(0, everyCase ? lists.length : 2)) {
      const expected = free.map((rows) => rows.map((row) => cutAt(stop, row)));
      expect(await generate(groups, { ...long, stop })).toEqual(expected);
      const ends = new Set(expected.flat().map(({ stopReason }) => stopReason));
      expect(ends.has('stop')).toBe(stop[0] !== 'zz');
    }
  });

  test('stopped rows are the same alone, among others, and at every place of the budget', async () => {
    const stop = ['b', '\n'];
    const groups = tinyRequests(12, 2);
    const together = await generate(groups, { maxTokens: 20, stop });
    for (const one of [0, 5, 11]) {
      expect(await generate(groups.slice(one, one + 1), { maxTokens: 20, stop })).toEqual([together[one]]);
    }
    const [first] = groups as [GroupRequest];
    const [free = []] = await generate([first], { maxTokens: 20 });
    for (let maxTokens = 1; maxTokens <= 20; maxTokens += everyCase ? 1 : 4) {
      const [rows = []] = await generate([first], { maxTokens, stop });
      const budgeted = free.map((row): SampledCompletion =>
        row.tokens.length <= maxTokens
          ? row
          : {
              tokens: row.tokens.slice(0, maxTokens),
              logprobs: row.logprobs.slice(0, maxTokens),
              stopReason: 'max_tokens',
            },
      );
      expect(rows).toEqual(budgeted.map((row) => cutAt(stop, row)));
    }
  });

  test('stop strings at which every row ends with its first token leave nothing behind', async () => {
    const all = tinyRequests(Math.min(most, 40), 3);
    const before = await generate(all);
    const stop = ['a', 'b', 'c', '\n', 'é'];
    const rows = (await generate(all, { stop })).flat();
    expect(
      rows.filter(({ stopReason, tokens }) => stopReason === 'stop' && tokens.length === 1).length,
    ).toBeGreaterThan(rows.length / 2);
    expect(await generate(all)).toEqual(before);
  });

  test('progress counts no token behind a stop string', async () => {
    const seen: number[] = [];
    const sampling = { ...SAMPLING, maxTokens: 40, stop: ['ab', '\n'] };
    const onProgress = ({ tokens }: { tokens: number }): void => void seen.push(tokens);
    const rows = await engine.generate(tinyRequests(9, 2), sampling, { breathe, onProgress });
    expect(seen.at(-1)).toBe(rows.flat().reduce((sum, { tokens }) => sum + tokens.length, 0));
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

  test.each([1, 3])('each of %i groups is heard of once, as complete as in the result', async (count) => {
    const heard = new Map<number, readonly SampledCompletion[]>();
    const groups = await engine.generate(tinyRequests(count, 4), SAMPLING, {
      breathe,
      onGroup(index, completions) {
        expect(heard.has(index)).toBe(false);
        heard.set(index, structuredClone(completions));
      },
    });
    expect(groups.map(({ length }) => length)).toEqual(groups.map(() => 4));
    expect(groups.map((_, index) => heard.get(index))).toEqual(groups);
    expect(heard.size).toBe(count);
  });

  test('groups are heard of as they end, not in their order and not all at the end', async () => {
    // One row each, and all enter at once: the shortest ends first, and others rounds later.
    const requests = tinyRequests(Math.min(most, 30), 1);
    let finished = 0;
    const heard: { index: number; finished: number }[] = [];
    const groups = await engine.generate(
      requests,
      { ...SAMPLING, maxTokens: 40 },
      {
        breathe,
        onProgress: (progress) => (finished = progress.finished),
        onGroup: (index) => heard.push({ index, finished }),
      },
    );
    const lengths = heard.map(({ index }) => groups[index]?.[0]?.tokens.length ?? 0);
    expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
    expect(new Set(lengths).size).toBeGreaterThan(1);
    expect(heard.map(({ index }) => index)).not.toEqual(requests.map((_, index) => index));
    expect(heard[0]?.finished).toBe(0);
    expect(heard.at(-1)?.finished).toBeGreaterThan(0);
  });

  test('a prompt and completion longer than the positions are refused with the numbers', async () => {
    const promptIds = Array.from({ length: TINY_POSITIONS - 3 }, () => 1);
    const request = { promptIds, samples: 1, seed: 0, step: 0, problem: 0 };
    await expect(generate([request], { maxTokens: 4 })).rejects.toThrow(`${TINY_POSITIONS - 3} tokens and 4`);
    expect((await generate([request], { maxTokens: 3 }))[0]).toHaveLength(1);
  });
}
