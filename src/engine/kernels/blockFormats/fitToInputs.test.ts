import { expect, test } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { dequantizeBlocks } from './dequantize.ts';
import { fitToInputs } from './fitToInputs.ts';
import { quantizeBlocks } from './quantizeBlocks.ts';

const COLUMNS = 64;
const ROWS = 6;
const INPUTS = 200;

/** Numbers around 0 from −1 to 1. */
function numbers(count: number, seed: number): Float32Array {
  const draws = drawsFor(7, seed);
  return Float32Array.from({ length: count }, () => 2 * draws() - 1);
}

/** Inputs whose columns go together, as those of a model do: few directions, and a little of everything. */
function inputs(seed: number): Float32Array {
  const [directions, shares, rest] = [
    numbers(8 * COLUMNS, 1),
    numbers(INPUTS * 8, seed),
    numbers(INPUTS * COLUMNS, 3),
  ];
  return Float32Array.from({ length: INPUTS * COLUMNS }, (_, at) => {
    const [row, column] = [Math.floor(at / COLUMNS), at % COLUMNS];
    let sum = 0.1 * (rest[at] as number);
    for (let k = 0; k < 8; k++)
      sum += (shares[row * 8 + k] as number) * (directions[k * COLUMNS + column] as number);
    return sum;
  });
}

/** Σ a bᵀ over rows. */
function products(a: Float32Array, b: Float32Array): Float32Array {
  const sums = new Float32Array(COLUMNS * COLUMNS);
  for (let row = 0; row < a.length / COLUMNS; row++)
    for (let i = 0; i < COLUMNS; i++)
      for (let j = 0; j < COLUMNS; j++)
        sums[i * COLUMNS + j] =
          (sums[i * COLUMNS + j] as number) +
          (a[row * COLUMNS + i] as number) * (b[row * COLUMNS + j] as number);
  return sums;
}

/** Σ |W x − Q x̂|², computed from the inputs themselves. */
function lost(weights: Float32Array, x: Float32Array, found: Float32Array, xRounded: Float32Array): number {
  let sum = 0;
  for (let input = 0; input < INPUTS; input++)
    for (let row = 0; row < ROWS; row++) {
      let difference = 0;
      for (let j = 0; j < COLUMNS; j++)
        difference +=
          (weights[row * COLUMNS + j] as number) * (x[input * COLUMNS + j] as number) -
          (found[row * COLUMNS + j] as number) * (xRounded[input * COLUMNS + j] as number);
      sum += difference ** 2;
    }
  return sum;
}

const fitted = async (weights: Float32Array, x: Float32Array, rounded: Float32Array): Promise<Float32Array> =>
  dequantizeBlocks(
    'q4_1',
    await fitToInputs(
      weights,
      COLUMNS,
      { rounded: products(rounded, rounded), crossed: products(x, rounded) },
      () => undefined,
    ),
  );

test('outputs stay nearer than by rounding each number, and what the input lost is made up for', async () => {
  const weights = numbers(ROWS * COLUMNS, 4);
  const x = inputs(2);
  const nearest = dequantizeBlocks('q4_1', quantizeBlocks('q4_1', weights));
  const found = await fitted(weights, x, x);
  expect(lost(weights, x, found, x)).toBeLessThan(0.3 * lost(weights, x, nearest, x));

  // Each column of the input has shrunk by a tenth.
  const shrunk = x.map((value) => 0.9 * value);
  const adapted = await fitted(weights, x, shrunk);
  expect(lost(weights, x, adapted, shrunk)).toBeLessThan(0.3 * lost(weights, x, found, shrunk));
});

test('numbers on the grid stay as they are where the input is exact, and without any input', async () => {
  const weights = dequantizeBlocks('q4_1', quantizeBlocks('q4_1', numbers(ROWS * COLUMNS, 5)));
  const x = inputs(2);
  expect(await fitted(weights, x, x)).toEqual(weights);
  const none = new Float32Array(INPUTS * COLUMNS);
  expect(await fitted(weights, none, none)).toEqual(weights);
});
