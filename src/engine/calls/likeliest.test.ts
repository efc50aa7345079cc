/** The likeliest tokens are those that the loss's own log-probabilities find, asked token by token. */
import { expect, test } from 'vitest';
import { engineBatch } from '../testing/engineBatch.ts';
import { tinyEngines } from '../testing/tinyEngine.ts';
import { likeliestTokens } from './likeliest.ts';

const engines = tinyEngines();

test.each([
  ['all weights', {}, 1],
  ['LoRA', { loraRank: 2, loraAlpha: 4 }, 0.7],
] as const)('%s', async (_, lora, temperature) => {
  const { engine } = await engines.open({ settings: { microBatchTokens: 64, ...lora } });
  // Factors that act: a new adapter adds nothing.
  await engine.forwardBackward(engineBatch(3), 'ppo');
  await engine.optimStep(0.05);
  const [{ promptIds, tokens } = { promptIds: [], tokens: [] }] = engineBatch(3);
  const before = [...promptIds, ...tokens.slice(0, 2)];
  const { vocabSize } = engine.policy.config;
  const all = Array.from({ length: vocabSize }, (__, token) => ({ promptIds: before, tokens: [token] }));
  const { logprobs } = await engine.computeLogprobs(all, 'policy', { temperature });
  const expected = logprobs
    .map(([logprob = NaN], token) => ({ token, logprob }))
    .sort((a, b) => b.logprob - a.logprob);
  const token = expected[7]?.token ?? NaN;
  const found = await likeliestTokens(engine.policy, before, { token, temperature, count: 5 });
  expect(found.likeliest.map((each) => each.token)).toEqual(expected.slice(0, 5).map((each) => each.token));
  for (const [i, { logprob }] of found.likeliest.entries())
    expect(logprob).toBeCloseTo(expected[i]?.logprob ?? NaN, 5);
  expect(found.logprob).toBeCloseTo(expected[7]?.logprob ?? NaN, 5);
  await expect(likeliestTokens(engine.policy, [], { token, temperature, count: 5 })).rejects.toThrow(
    '0 tokens were given',
  );
});
