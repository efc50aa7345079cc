import { expect, test } from 'vitest';
import { vectorModule } from './core.ts';

test('the module computes what its loop says', async () => {
  const { instance } = await WebAssembly.instantiate(vectorModule());
  const run = instance.exports['run'] as (turns: number) => number;
  const turns = 1 + Math.floor(50 * Math.random());
  // Thirteen chains that start at 0 to 12, eight steps of x·0.999 + 0.001 a turn, in f32.
  const [factor, summand] = [Math.fround(0.999), Math.fround(0.001)];
  let sum = 0;
  for (let chain = 0; chain < 13; chain++) {
    let x = chain;
    for (let step = 0; step < 8 * turns; step++) x = Math.fround(Math.fround(x * factor) + summand);
    sum = Math.fround(sum + x);
  }
  expect(run(turns)).toBe(sum);
});
