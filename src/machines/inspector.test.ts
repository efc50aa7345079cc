/** What is found in answers as they should be, and in such that are not. */
import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { tinyGenerator, tinyRequests } from '../rollout/decoder.suite.ts';
import { createLocalPool } from '../rollout/localPool.ts';
import type { GroupRequest, GroupResult, SamplingSettings } from '../rollout/types.ts';
import { tinyPool } from '../testing/tinyModels.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { computationOf } from './computation.ts';
import { Inspector, REPLAYED } from './inspector.ts';
import { WeightShelf, type WeightsOnShelf } from './weightShelf.ts';

const SAMPLING: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 4, stop: [] };
const model = tinyGenerator('gqa', [5]);
const keeper = {
  put: (name: string) => Promise.resolve({ name, digest: '', bytes: 0 }),
  remove: () => Promise.resolve(),
};

let weights: WeightsOnShelf;
let answer: (requests: readonly GroupRequest[]) => Promise<GroupResult[]>;

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  const shelf = new WeightShelf(model, 'f32', keeper);
  shelf.setWeights(1, tinyPool('gqa'));
  weights = shelf.newest;
  const pool = createLocalPool(model);
  await pool.setWeights(1, tinyPool('gqa'));
  answer = (requests) => pool.generate(requests, SAMPLING);
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

test('of draws that are somebody else’s, the stated share is made again, and every one of those is found', async () => {
  const requests = tinyRequests(600, 1).map((request, problem) => ({ ...request, problem }));
  const groups = await answer(requests.map((request) => ({ ...request, seed: request.seed + 1 })));
  const looking = inspector(7);
  let [replayed, found, same] = [0, 0, 0];
  const honest = await answer(requests);
  for (const [i, request] of requests.entries()) {
    const completions = groups[i]?.completions ?? [];
    const inspected = await looking.inspect({
      weights,
      request,
      sampling: SAMPLING,
      completions,
      computation: computationOf(''),
    });
    if (!inspected.replayed) continue;
    replayed++;
    if (inspected.wrong !== null) found++;
    if (completions[0]?.tokens.join() === honest[i]?.completions[0]?.tokens.join()) same++;
  }
  // 600 draws of 5 %: 30, and a standard deviation of 5.3.
  expect(replayed).toBeGreaterThan(30 - 4 * 5.3);
  expect(replayed).toBeLessThan(30 + 4 * 5.3);
  expect(found).toBe(replayed - same);
  expect(found).toBeGreaterThan(0);
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
  const look = (given: typeof completions, computation: string) =>
    inspector(1, 1).inspect({ weights, request, sampling: SAMPLING, completions: given, computation });
  expect((await look(bent, computationOf(''))).wrong).toContain('from the trainer’s own'.replace('’', "'"));
  expect(await look(completions, 'webgpu, another')).toMatchObject({ replayed: false, wrong: null });
});
