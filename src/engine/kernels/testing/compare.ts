/** Comparison of tensors with float64 references. A difference is returned as a message that holds the numbers and the seed. */
import * as tf from '../../backend/tf.ts';
import { withSeed, type RandomInputs } from './random.ts';

/** An op written plainly in float64: arrays in, arrays out. */
export type Reference = (...inputs: Float64Array[]) => Float64Array[];

/** A message if any element is off by more than `tolerance` times the largest expected magnitude, or than `floor` if that is more. */
export async function difference(
  what: string,
  actual: tf.Tensor,
  expected: Float64Array,
  tolerance: number,
  seed: number,
  floor = 0,
): Promise<string | null> {
  const values = await actual.data();
  if (values.length !== expected.length)
    return `${what}: ${values.length} elements, expected ${expected.length}`;
  return differenceAt(what, values, expected, expected.keys(), tolerance, seed, floor);
}

function differenceAt(
  what: string,
  values: ArrayLike<number>,
  expected: Float64Array,
  indices: Iterable<number>,
  tolerance: number,
  seed: number,
  floor: number,
): string | null {
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
  if (worst <= tolerance * scale) return null;
  return (
    `${what}: element ${worstAt} is ${values[worstAt]}, expected ${expected[worstAt]}; ` +
    `largest magnitude ${scale}, seed ${seed}`
  );
}

export interface OpCheck {
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

/** The smallest magnitude that differences are relative to. Inputs are of size 1, so a smaller result is a difference of larger numbers. */
const FLOOR = 0.1;
/** The most elements of one input whose derivative is checked. */
const DERIVATIVES = 120;

/**
 * Checks an op's values, and the gradients of L = Σ w ⊙ y with random w against central differences of the reference in float64, at a
 * random choice of elements if there are many. Returns the problems.
 */
export async function opProblems(random: RandomInputs, check: OpCheck): Promise<string[]> {
  const { what, inputs, reference, op, valueTolerance, gradientTolerance } = check;
  const tensors = inputs.map(({ shape, values }) => tf.tensor(values, shape, 'float32'));
  const exact = inputs.map(({ values }) => Float64Array.from(values));
  const expected = reference(...exact);
  const outputs = op(...tensors);
  const problems: (string | null)[] = [];
  for (const [i, values] of expected.entries()) {
    const output = outputs[i];
    if (!output) return [`${what}: ${outputs.length} outputs, expected ${expected.length}`];
    problems.push(
      await difference(`${what}, output ${i}`, output, values, valueTolerance, random.seed, FLOOR),
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
    problems.push(
      differenceAt(`${what}, d ${name}`, actual, derivatives, indices, gradientTolerance, random.seed, FLOOR),
    );
  }
  tf.dispose([...tensors, ...outputs, ...gradients]);
  return problems.filter((problem) => problem !== null);
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

/** A message if two tensors differ in any bit. */
export async function bitDifference(
  what: string,
  a: tf.Tensor,
  b: tf.Tensor,
  seed: number,
): Promise<string | null> {
  const [left, right] = [await a.data(), await b.data()];
  if (left.length !== right.length) return `${what}: ${left.length} and ${right.length} elements`;
  const at = left.findIndex((value, i) => !Object.is(value, right[i]));
  return at < 0 ? null : `${what}: element ${at} is ${left[at]} and ${right[at]}, seed ${seed}`;
}
