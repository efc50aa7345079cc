/** KL of two versions of a model, by hand and against log-probabilities that are asked token by token. */
import { expect, test } from 'vitest';
import { engineBatch } from '../testing/engineBatch.ts';
import { tinyEngines } from '../testing/tinyEngine.ts';
import { divergences, klOfLogits } from './divergence.ts';

const engines = tinyEngines();

test('of logits, by hand', () => {
  const half = Float32Array.of(0, 0);
  // p = (3/4, 1/4) and q = (1/2, 1/2): 3/4 ln 3/2 + 1/4 ln 1/2. Logits may be shifted by anything.
  const p = Float32Array.of(Math.log(3) + 5, 5);
  const expected = 0.75 * Math.log(1.5) + 0.25 * Math.log(0.5);
  expect(klOfLogits(p, half)).toBeCloseTo(expected, 6);
  expect(klOfLogits(half, p)).toBeCloseTo(0.5 * Math.log(2 / 3) + 0.5 * Math.log(2), 6);
  expect(klOfLogits(p, p)).toBe(0);
});

test.each([
  ['all weights', {}],
  ['LoRA', { loraRank: 2, loraAlpha: 4 }],
] as const)(
  '%s: on an answer, as the sum over all tokens that could stand at each place',
  async (_, lora) => {
    const { engine } = await engines.open({ settings: { microBatchTokens: 64, ...lora } });
    await engine.forwardBackward(engineBatch(3), 'ppo');
    await engine.optimStep(0.05);
    const [{ promptIds, tokens } = { promptIds: [], tokens: [] }] = engineBatch(3);
    const found = await divergences(engine.policy, engine.reference, { promptIds, tokens });
    expect(found).toHaveLength(tokens.length);
    const { vocabSize } = engine.policy.config;
    for (const place of [0, tokens.length - 1]) {
      const before = [...promptIds, ...tokens.slice(0, place)];
      const all = Array.from({ length: vocabSize }, (__, token) => ({ promptIds: before, tokens: [token] }));
      const now = await engine.computeLogprobs(all);
      const then = await engine.computeLogprobs(all, 'reference');
      const expected = all.reduce((sum, __, token) => {
        const [p = NaN] = now.logprobs[token] ?? [];
        const [q = NaN] = then.logprobs[token] ?? [];
        return sum + Math.exp(p) * (p - q);
      }, 0);
      expect(expected).toBeGreaterThan(1e-4);
      expect(found[place]).toBeCloseTo(expected, 5);
    }
  },
);
