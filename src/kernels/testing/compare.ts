/** Comparison of tensors with float64 references, values and gradients. */
import { expect } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { withSeed, type RandomInputs } from './random.ts';

/** An op written plainly in float64: arrays in, arrays out. */
export type Reference = (...inputs: Float64Array[]) => Float64Array[];

/** Fails where any element differs by more than `tolerance` times the largest expected magnitude, or `floor` if more. */
export async function expectClose(
  what: string,
  actual: tf.Tensor,
  expected: Float64Array,
  tolerance: number,
  seed: number,
  floor = 0,
): Promise<void> {
  const values = await actual.data();
  expectCloseAt(what, values, expected, expected.keys(), tolerance, seed, floor);
  expect(values.length, `${what}: number of elements (seed ${seed})`).toBe(expected.length);
}

function expectCloseAt(
  what: string,
  values: ArrayLike<number>,
  expected: Float64Array,
  indices: Iterable<number>,
  tolerance: number,
  seed: number,
  floor: number,
): void {
  const scale = expected.reduce((max, value) => Math.max(max, Math.abs(value)), floor);
  let worst = 0;
  let worstAt = 0;
  for (const i of indices) {
    const error = Math.abs((values[i] ?? NaN) - (expected[i] ?? NaN));
    if (!(error <= worst)) {
      worst = error;
      worstAt = i;
    }
  }
  const message =
    `${what}: element ${worstAt} is ${values[worstAt]}, expected ${expected[worstAt]}; ` +
    `largest magnitude ${scale}, seed ${seed}`;
  expect(worst <= tolerance * scale, message).toBe(true);
}

export interface GradientCase {
  readonly what: string;
  /** Shapes and values of the inputs to differentiate. */
  readonly inputs: readonly {
    readonly name: string;
    readonly shape: number[];
    readonly values: Float32Array;
  }[];
  readonly reference: Reference;
  readonly op: (...inputs: tf.Tensor[]) => tf.Tensor[];
  readonly valueTolerance: number;
  readonly gradientTolerance: number;
}

/** Inputs are of size 1: where a result is smaller than this, it is a difference of larger numbers. */
const FLOOR = 0.1;
/** Elements of one input whose derivative is checked. */
const DERIVATIVES = 120;

/**
 * Checks an op's values, and the gradients of L = Σ w ⊙ y with random w against central differences of the reference in
 * float64, at a random choice of elements where there are many.
 */
export async function checkOp(random: RandomInputs, test: GradientCase): Promise<void> {
  const { what, inputs, reference, op, valueTolerance, gradientTolerance } = test;
  const tensors = inputs.map(({ shape, values }) => tf.tensor(values, shape, 'float32'));
  const exact = inputs.map(({ values }) => Float64Array.from(values));
  const expected = reference(...exact);
  const outputs = op(...tensors);
  expect(outputs.length, `${what}: outputs`).toBe(expected.length);
  for (const [i, output] of outputs.entries()) {
    await expectClose(
      `${what}, output ${i}`,
      output,
      expected[i] ?? new Float64Array(),
      valueTolerance,
      random.seed,
      FLOOR,
    );
  }
  const weights = expected.map((values) => random.floats(values.length));
  const gradients = tf.grads((...xs: tf.Tensor[]) => {
    const parts = op(...xs).map((y, i) => tf.sum(tf.mul(y, tf.tensor(weights[i] ?? [], y.shape, 'float32'))));
    return tf.addN(parts);
  })(tensors);
  const loss = () =>
    reference(...exact).reduce((total, values, i) => total + inner(values, weights[i] ?? []), 0);
  const choice = withSeed(random.seed + 1);
  for (const [i, { name }] of inputs.entries()) {
    const values = exact[i] ?? new Float64Array();
    const indices = chosen(values.length, choice);
    const derivatives = new Float64Array(values.length);
    for (const at of indices) derivatives[at] = centralDifference(loss, values, at);
    const actual = (await gradients[i]?.data()) ?? [];
    expect(actual.length, `${what}, d ${name}: elements`).toBe(values.length);
    expectCloseAt(`${what}, d ${name}`, actual, derivatives, indices, gradientTolerance, random.seed, FLOOR);
  }
  tf.dispose([...tensors, ...outputs, ...gradients]);
}

function chosen(size: number, random: RandomInputs): number[] {
  if (size <= DERIVATIVES) return Array.from({ length: size }, (_, i) => i);
  return [...new Set(random.ints(DERIVATIVES, size))];
}

function centralDifference(loss: () => number, values: Float64Array, at: number): number {
  const step = 1e-5;
  const value = values[at] ?? 0;
  values[at] = value + step;
  const above = loss();
  values[at] = value - step;
  const below = loss();
  values[at] = value;
  return (above - below) / (2 * step);
}

function inner(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? NaN) * (b[i] ?? NaN);
  return sum;
}

/** Fails where two tensors differ in any bit. */
export async function expectSameBits(what: string, a: tf.Tensor, b: tf.Tensor, seed: number): Promise<void> {
  const [left, right] = [await a.data(), await b.data()];
  const at = left.findIndex((value, i) => !Object.is(value, right[i]));
  expect(left.length, `${what}: number of elements`).toBe(right.length);
  expect(at, `${what}: element ${at} is ${left[at]} and ${right[at]}, seed ${seed}`).toBe(-1);
}
