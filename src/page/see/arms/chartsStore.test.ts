import { expect, it } from 'vitest';
import { curedConfig, defaultConfig, ZOO, zooConfig, type RunConfig } from '@rl-playground/run/settings';
import { asksTheSame, smoothingOf } from './chartsStore.ts';

it('reads the smoothing that was kept, and takes nothing else', () => {
  for (const kept of [0, 0.5, 0.99]) expect(smoothingOf(String(kept))).toBe(kept);
  for (const text of [null, '', '{', 'null', '7', '1.5', '-0.1', 'NaN']) expect(smoothingOf(text)).toBe(0.8);
});

it('tells runs of one task and reward from those of others', () => {
  const base = defaultConfig('reverse_digits');
  const otherwise: RunConfig = { ...base, learningRate: 1, seed: 9, temperature: 0.5 };
  expect(asksTheSame(base, otherwise)).toBe(true);
  expect(asksTheSame(base, defaultConfig('sum_digits'))).toBe(false);
  // A run that is paid for a keyword, and its cure.
  const keyword = ZOO.find(({ id }) => id === 'keyword');
  if (keyword === undefined) throw new Error('The zoo has no recipe of that name.');
  expect(asksTheSame(zooConfig(keyword, 0), curedConfig(keyword, 0))).toBe(false);
});
