import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { filesInFolder } from '../hub/filesInNode.ts';
import { loadWeights } from '../hub/load.ts';
import { packArrays } from '../model/weights.ts';
import { chiSquared, chiSquaredBound } from '@rl-playground/base/testing/chiSquared';
import { tokenTable } from '../testing/tokenTable.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { createDecoder } from './generator.ts';
import { withRepetitionPenalty } from './repetitionPenalty.ts';
import { drawToken } from './decoding/sampler.ts';
import type { SampledCompletion, SamplingSettings } from './decoding/types.ts';
import { weightsOf } from './decoding/weights.ts';

// By transformers 5.18: RepetitionPenaltyLogitsProcessor on tokens 0, 1, 2, 5, 0, 6.
test.each([
  [1.3, [2, -1.2999999523162842, 0, 3.9000000953674316, -2, 0.5, -Infinity]],
  [0.8, [3.249999761581421, -0.800000011920929, 0, 3.9000000953674316, -2, 0.8124999403953552, -Infinity]],
])('a penalty of %d makes of logits what transformers makes of them', (penalty, expected) => {
  const logits = Float32Array.of(2.6, -1, 0, 3.9, -2, 0.65, -Infinity);
  const before = Float32Array.from(logits);
  const penalised = withRepetitionPenalty(logits, penalty, [0, 1, 2], [5, 0, 6]);
  penalised.forEach((logit, token) => expect(logit).toBeCloseTo(expected[token] ?? NaN, 6));
  expect(logits).toEqual(before);
});

describe('drawing under a penalty of 2', () => {
  // Probabilities 0.1, 0.5, 0.15, 0.25 of logits below 0; token 1 has been seen, so its own becomes 0.5² = 0.25 of 0.75.
  const logits = Float32Array.from([0.1, 0.5, 0.15, 0.25], Math.log);
  const drawnBy = withRepetitionPenalty(logits, 2, [1]);
  const settings: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 1, stop: [] };
  const seed = Math.floor(Math.random() * 2 ** 32);

  test.each<[string, Partial<SamplingSettings>, readonly number[]]>([
    ['all', {}, [0.1 / 0.75, 0.25 / 0.75, 0.15 / 0.75, 0.25 / 0.75]],
    // Tokens 1 and 3 weigh a third each now, so that both are needed for more than that.
    ['top-p 0.6', { topP: 0.6 }, [0, 0.5, 0, 0.5]],
    ['min-p 0.7', { minP: 0.7 }, [0, 0.5, 0, 0.5]],
  ])(`draws from what is left: %s, seed ${seed}`, (_name, changes, expected) => {
    const counts = new Uint32Array(4);
    const logprobs = new Map<number, number>();
    for (let i = 0; i < 20_000; i++) {
      const { token, logprob } = drawToken(logits, { ...settings, ...changes }, seed + i, 4, drawnBy);
      counts[token] = (counts[token] ?? 0) + 1;
      logprobs.set(token, logprob);
    }
    const { statistic, freedom } = chiSquared(counts, expected);
    expect(freedom).toBe(expected.filter((p) => p > 0).length - 1);
    expect(statistic).toBeLessThan(chiSquaredBound(freedom));
    // Of the distribution that the trainer computes.
    for (const [token, logprob] of logprobs) expect(logprob).toBeCloseTo(logits[token] ?? NaN, 6);
  });

  test('greedy takes the largest after the penalty', () => {
    const greedy = drawToken(
      logits,
      { ...settings, temperature: 0 },
      seed,
      4,
      withRepetitionPenalty(logits, 2.5, [1]),
    );
    expect(greedy.token).toBe(3);
    expect(greedy.logprob).toBeCloseTo(Math.log(0.25), 6);
  });
});

describe('greedy answers of a bundled model', () => {
  beforeAll(async () => {
    await startBackend('wasm', { wasmPath: wasmPathInNode });
  });

  const PROMPT = [3, 14, 15, 9, 20, 6, 5, 3, 5, 8, 9, 7, 9];
  // By transformers 5.18: generate(do_sample=False, repetition_penalty=…), log-probabilities from its unpenalised `logits`.
  test.each([
    [
      1,
      [24, 4, 25, 5, 24, 5, 25, 7, 24, 5, 25, 8],
      [-0.13413, -0.85529, -0.0001, -0.56108, -0.59968, -0.2695],
    ],
    [
      1.5,
      [24, 4, 25, 5, 24, 12, 25, 5, 13, 24, 5, 25],
      [-0.13413, -0.85529, -0.0001, -0.56108, -0.59968, -1.94256],
    ],
    [
      2.5,
      [24, 4, 25, 5, 2, 24, 12, 25, 5, 11, 24, 9],
      [-0.13413, -0.85529, -0.0001, -0.56108, -3.06438, -0.00842],
    ],
    [
      0.7,
      [24, 5, 25, 10, 24, 5, 25, 11, 24, 5, 25, 12],
      [-0.13413, -1.26488, -0.00014, -0.04851, -0.01766, -0.10188],
    ],
  ])('under a penalty of %d are those of transformers', async (repetitionPenalty, tokens, logprobs) => {
    const folder = fileURLToPath(new URL('../../../public/models/starter', import.meta.url));
    const { config, weights } = await loadWeights(filesInFolder(folder, 'starter'));
    const tokenBytes = tokenTable(Array.from({ length: config.vocabSize }, () => 'a'));
    const decoder = createDecoder({ config, stopTokenIds: [], positions: 32, tokenBytes }, 'f32');
    decoder.setWeights(weightsOf(config, packArrays(config, weights), 'f32'));
    const [[answer] = []]: SampledCompletion[][] = await decoder.generate(
      [{ promptIds: PROMPT, samples: 1, seed: 0, step: 0, problem: 0 }],
      { temperature: 0, topP: 1, topK: 0, repetitionPenalty, maxTokens: tokens.length, stop: [] },
      { breathe: () => Promise.resolve() },
    );
    decoder.dispose();
    expect(answer?.tokens).toEqual(tokens);
    logprobs.forEach((logprob, i) => expect(answer?.logprobs[i]).toBeCloseTo(logprob, 4));
  });
});
