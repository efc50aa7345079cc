/** Inspects answers that are sound, and answers that are not. */
import { beforeAll, expect, test } from 'vitest';
import type { GroupRequest, GroupResult, SamplingSettings } from '@rl-playground/engine/parts';
import {
  startBackend,
  tinyGenerator,
  tinyRequests,
  createLocalPool,
} from '@rl-playground/engine/parts/tensors';
import { tinyPool } from '@rl-playground/engine/testing/tinyModels';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { computationOf } from '@rl-playground/run/environment/computation';
import { Inspector, REPLAYED } from './inspector.ts';
import { WeightShelf, type WeightsOnShelf } from './weightShelf.ts';

const SAMPLING: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 4, stop: [] };
const model = tinyGenerator('gqa', [5]);
const keeper = {
  put: (name: string) => Promise.resolve({ name, digest: '', bytes: 0 }),
  has: () => Promise.resolve(true),
  remove: () => Promise.resolve(),
};

let weights: WeightsOnShelf;
let answer: (requests: readonly GroupRequest[], sampling?: SamplingSettings) => Promise<GroupResult[]>;

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  const shelf = new WeightShelf(model, 'f32', keeper);
  shelf.setWeights(1, tinyPool('gqa'));
  weights = shelf.newest;
  const pool = createLocalPool(model);
  await pool.setWeights(1, tinyPool('gqa'));
  answer = (requests, sampling = SAMPLING) => pool.generate(requests, sampling);
});

const inspector = (seed: number, share = REPLAYED): Inspector =>
  new Inspector(model, 'f32', { computation: computationOf(''), seed, share });

test('a sound answer is sound, to the rounding of two kernels', async () => {
  const [request] = tinyRequests(1, 3);
  if (request === undefined) throw new Error('no request');
  const [group] = await answer([request]);
  const { completions } = group ?? { completions: [] };
  const found = await inspector(1, 1).inspect({
    weights,
    request,
    sampling: SAMPLING,
    completions,
    computation: computationOf(''),
  });
  expect(found).toMatchObject({ replayed: true, wrong: null });
  expect(found.gaps.largest).toBeLessThan(1e-4);
});

const look = (
  looking: Inspector,
  request: GroupRequest,
  { completions }: Pick<GroupResult, 'completions'>,
  sampling = SAMPLING,
  computation = computationOf(''),
) => looking.inspect({ weights, request, sampling, completions, computation });

test('draws that are somebody else’s are found at once, whatever the machine computes with', async () => {
  const requests = tinyRequests(40, 2).map((request, problem) => ({ ...request, problem }));
  const groups = await answer(requests.map((request) => ({ ...request, seed: request.seed + 1 })));
  const honest = await answer(requests);
  const looking = inspector(7, 0);
  for (const [i, request] of requests.entries()) {
    const [given, own] = [groups[i], honest[i]] as [GroupResult, GroupResult];
    const same = given.completions.every(
      ({ tokens }, j) => tokens.join() === own.completions[j]?.tokens.join(),
    );
    const { wrong } = await look(looking, request, given, SAMPLING, 'webgpu, another');
    if (same) expect(wrong).toBeNull();
    else
      expect(wrong).toMatch(/^token \d+ of answer \d of 2 is not the one that its draws give: it misses by/);
  }
});

test('of a vocabulary too large to look at every token, a few are, and which ones nobody else knows', async () => {
  const requests = tinyRequests(40, 2).map((request, problem) => ({ ...request, problem }));
  const groups = await answer(requests.map((request) => ({ ...request, seed: request.seed + 1 })));
  const foundBy = async (seed: number, tokens: number): Promise<number[]> => {
    const looking = new Inspector(model, 'f32', {
      computation: 'wasm',
      seed,
      share: 0,
      mostLogits: tokens * model.config.vocabSize,
    });
    const found: number[] = [];
    for (const [i, request] of requests.entries())
      if ((await look(looking, request, groups[i] as GroupResult)).wrong !== null) found.push(i);
    return found;
  };
  const all = await foundBy(1, 1000);
  const [one, other] = [await foundBy(1, 1), await foundBy(2, 1)];
  expect(one.length).toBeGreaterThan(0);
  expect(one.length).toBeLessThan(all.length);
  expect(other).not.toEqual(one);
  for (const each of [...one, ...other]) expect(all).toContain(each);
});

test('sound answers pass under every setting of the draw', async () => {
  const changes: readonly Partial<SamplingSettings>[] = [
    { temperature: 0 },
    { temperature: 0.6, topK: 5 },
    { topP: 0.7 },
    { minP: 0.3, repetitionPenalty: 1.6 },
    { temperature: 0, repetitionPenalty: 1.6 },
  ];
  for (const change of changes) {
    const sampling = { ...SAMPLING, ...change };
    const requests = tinyRequests(4, 2);
    const groups = await answer(requests, sampling);
    for (const [i, request] of requests.entries())
      expect(await look(inspector(7, 0), request, groups[i] as GroupResult, sampling)).toMatchObject({
        wrong: null,
      });
  }
});

test('the stated share is made again, where a difference in the last bits is found that nothing else finds', async () => {
  const requests = tinyRequests(600, 1).map((request, problem) => ({ ...request, problem }));
  const groups = await answer(requests);
  const looking = inspector(7);
  let [replayed, found] = [0, 0];
  for (const [i, request] of requests.entries()) {
    const completions = (groups[i]?.completions ?? []).map((each) => ({
      ...each,
      logprobs: each.logprobs.map((logprob) => logprob - 1e-9),
    }));
    const inspected = await look(looking, request, { completions });
    if (inspected.replayed) replayed++;
    if (inspected.wrong !== null) found++;
  }
  // 600 draws of 5 %: 30, and a standard deviation of 5.3.
  expect(replayed).toBeGreaterThan(30 - 4 * 5.3);
  expect(replayed).toBeLessThan(30 + 4 * 5.3);
  expect(found).toBe(replayed);
});

test('log-probabilities that are not the trainer’s are named, and a machine that computes otherwise is not replayed', async () => {
  const [request] = tinyRequests(1, 2);
  if (request === undefined) throw new Error('no request');
  const [group] = await answer([request]);
  const { completions } = group ?? { completions: [] };
  const bent = completions.map((each) => ({
    ...each,
    logprobs: each.logprobs.map((logprob) => logprob - 0.1),
  }));
  expect((await look(inspector(1, 1), request, { completions: bent })).wrong).toContain(
    "from the trainer's own",
  );
  const another = await look(inspector(1, 1), request, { completions }, SAMPLING, 'webgpu, another');
  expect(another).toMatchObject({ replayed: false, wrong: null });
});
