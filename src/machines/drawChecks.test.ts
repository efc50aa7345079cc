/** Tokens that the sampler draws, from logits that are a little off, and others in their place. */
import { expect, test } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { drawToken, positionKey, type SamplingSettings } from '@rl-playground/engine/parts';
import { shortfall } from './drawChecks.ts';

const SLACK = 0.005;
const PLAIN: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 1, stop: [] };
const TRIALS = 400;

const SETTINGS: readonly [string, Partial<SamplingSettings>][] = [
  ['nothing but the draw', {}],
  ['a temperature of 0.7', { temperature: 0.7 }],
  ['a temperature of 2', { temperature: 2 }],
  ['the likeliest alone', { temperature: 0 }],
  ['top-k', { topK: 4 }],
  ['top-p', { topP: 0.8 }],
  ['min-p', { minP: 0.2 }],
  ['all filters', { topK: 12, topP: 0.9, minP: 0.05, temperature: 0.8 }],
];

/** Logits over a vocabulary of 40, here and as another machine has computed them. */
function logitsOf(trial: number, off: number): { here: Float32Array; there: Float32Array } {
  const draw = drawsFor(5, trial);
  const here = Float32Array.from({ length: 40 }, () => 6 * draw() - 3);
  return { here, there: here.map((logit) => logit + off * (2 * draw() - 1)) };
}

test.each(SETTINGS)(
  'what is drawn passes with %s, on a machine whose logits are off by what is allowed',
  (_, changes) => {
    const settings = { ...PLAIN, ...changes };
    const scale = settings.temperature === 0 ? 1 : settings.temperature;
    for (let trial = 0; trial < TRIALS; trial++) {
      const key = positionKey(77, trial);
      const exact = logitsOf(trial, 0).here;
      expect(shortfall(exact, drawToken(exact, settings, key).token, settings, key, 1e-9)).toBe(0);
      // Half of it each way: two logits may move apart.
      const { here, there } = logitsOf(trial, (SLACK * scale) / 2.001);
      const { token } = drawToken(there, settings, key);
      expect(shortfall(here, token, settings, key, SLACK)).toBeLessThanOrEqual(SLACK);
    }
  },
);

test.each(SETTINGS)('what another seed draws is found with %s, unless it is the same token', (_, changes) => {
  const settings = { ...PLAIN, ...changes };
  let [others, passed] = [0, 0];
  for (let trial = 0; trial < TRIALS; trial++) {
    const { here } = logitsOf(trial, 0);
    const key = positionKey(77, trial);
    const { token } = drawToken(
      here,
      { ...settings, temperature: settings.temperature || 1 },
      positionKey(78, trial),
    );
    if (token === drawToken(here, settings, key).token) continue;
    others++;
    if (shortfall(here, token, settings, key, SLACK) <= SLACK) passed++;
  }
  expect(others).toBeGreaterThan(TRIALS / 10);
  // Two scores of a draw are so near to each other in less than a two-hundredth of all draws; times four, for chance.
  expect(passed).toBeLessThanOrEqual(4 * SLACK * TRIALS);
});

test('a token that is left out, or a logit that is no number, misses by far', () => {
  const logits = Float32Array.of(3, 2, 1, 0);
  expect(shortfall(logits, 3, { ...PLAIN, topK: 2 }, 1, SLACK)).toBe(Infinity);
  expect(shortfall(logits, 3, { ...PLAIN, topP: 0.5 }, 1, SLACK)).toBe(Infinity);
  expect(shortfall(logits, 3, { ...PLAIN, minP: 0.5 }, 1, SLACK)).toBe(Infinity);
  expect(shortfall(Float32Array.of(Number.NaN, 0), 0, PLAIN, 1, SLACK)).toBe(Infinity);
  expect(shortfall(logits, 1, { ...PLAIN, temperature: 0 }, 1, SLACK)).toBe(1);
});
