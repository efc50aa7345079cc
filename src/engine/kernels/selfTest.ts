/**
 * A start-up check of the current backend, against float64 on the host: one product in each layout and one gradient through a small chain
 * of ops. Some drivers silently compute wrong numbers (zero gradients on a Pixel 10: tensorflow/tfjs#8590).
 */
import { breathe } from '../backend/eventLoop.ts';
import { WASM_BACKEND } from '../backend/kernelRegistry.ts';
import * as tf from '../backend/tf.ts';
import { mean } from '@rl-playground/base/statistics';
import { gemm } from './gemm/gemm.ts';
import type { GemmLayout } from './gemm/shape.ts';
import { rmsNorm } from './rmsNorm/rmsNorm.ts';
import { tokenLogprobs } from './tokenLogprobs/tokenLogprobs.ts';

/** The tolerance. f32 over these sizes errs by about 1e-6 of the largest element. */
const TOLERANCE = 1e-4;
const EPSILON = 1e-5;

/**
 * Checks the backend in slices, with turns of the event loop between: nothing of it has run before, so each part takes a page about 10
 * ms.
 *
 * @throws Error naming the numbers if the backend computes wrong ones.
 */
export async function selfTest(): Promise<void> {
  for (const layout of ['nn', 'nt', 'tn'] as const) {
    await checkProduct(layout);
    await breathe();
  }
  await checkGradient();
}

/** Checks a product whose sizes are multiples of no tile. */
async function checkProduct(layout: GemmLayout): Promise<void> {
  const [m, n, k] = [37, 43, 67];
  const a = randomMatrix(m, k);
  const b = randomMatrix(k, n);
  const expected = multiply(a, b);
  await breathe();
  const c = tf.tidy(() =>
    gemm(
      tensorOf(layout === 'tn' ? transposed(a) : a),
      tensorOf(layout === 'nt' ? transposed(b) : b),
      layout,
    ),
  );
  await compare(`a matrix product (${layout})`, c, expected);
}

/**
 * L = Σ w · logprob(targets) of logits = rmsNorm(x) · headᵀ; with softmax p and g = (w·(1[target] − p)) · head,
 * dx = r · (g ⊙ γ − x · r² · mean(g ⊙ γ ⊙ x)).
 */
async function checkGradient(): Promise<void> {
  const [rows, width, vocab] = [5, 19, 23];
  const x = randomMatrix(rows, width);
  const head = randomMatrix(vocab, width);
  const gamma = randomMatrix(1, width);
  const weights = randomMatrix(1, rows)[0] ?? [];
  const targets = Array.from({ length: rows }, () => Math.floor(Math.random() * vocab));
  const gradient = tf.tidy(() => {
    const loss = (input: tf.Tensor) => {
      const hidden = rmsNorm(input, tf.tensor1d(gamma.flat()), EPSILON);
      const { logprob } = tokenLogprobs(hidden, tensorOf(head), tf.tensor1d(targets, 'int32'), 1);
      return tf.sum(tf.mul(logprob, tf.tensor1d(weights)));
    };
    return tf.grad(loss)(tensorOf(x));
  });
  await breathe();
  const expected = x.map((row, n) => {
    const r = 1 / Math.sqrt(mean(row.map((value) => value * value)) + EPSILON);
    const scaled = row.map((value, i) => value * r * at(gamma[0], i));
    const [logits = []] = multiply([scaled], transposed(head));
    const exponentials = logits.map(Math.exp);
    const total = exponentials.reduce((sum, value) => sum + value, 0);
    const dlogits = exponentials.map(
      (value, token) => at(weights, n) * ((token === targets[n] ? 1 : 0) - value / total),
    );
    const [dhidden = []] = multiply([dlogits], head);
    const g = dhidden.map((value, i) => value * at(gamma[0], i));
    const pull = mean(g.map((value, i) => value * at(row, i))) * r * r;
    return g.map((value, i) => r * (value - at(row, i) * pull));
  });
  await compare('a gradient', gradient, expected);
}

async function compare(
  what: string,
  actual: tf.Tensor,
  expected: readonly (readonly number[])[],
): Promise<void> {
  const values = await actual.data();
  actual.dispose();
  const exact = expected.flat();
  const scale = Math.max(...exact.map(Math.abs));
  const wrong = exact.findIndex((value, i) => !(Math.abs(at(values, i) - value) <= TOLERANCE * scale));
  if (wrong < 0) return;
  const [where, advice] =
    tf.getBackend() === WASM_BACKEND
      ? ['browser', 'Update the browser.']
      : ['GPU', 'Update the driver, or use the CPU (?backend=wasm).'];
  throw new Error(
    `This ${where} computes wrong numbers: element ${wrong} of ${what} is ${at(values, wrong)}, expected ` +
      `${at(exact, wrong)}. ${advice}`,
  );
}

function randomMatrix(rows: number, columns: number): number[][] {
  return Array.from({ length: rows }, () =>
    Array.from({ length: columns }, () => Math.fround(2 * Math.random() - 1)),
  );
}

function tensorOf(matrix: number[][]): tf.Tensor2D {
  return tf.tensor2d(matrix);
}

function transposed(matrix: readonly (readonly number[])[]): number[][] {
  return (matrix[0] ?? []).map((_, column) => matrix.map((row) => at(row, column)));
}

function multiply(a: readonly (readonly number[])[], b: readonly (readonly number[])[]): number[][] {
  const columns = transposed(b);
  return a.map((row) =>
    columns.map((column) => row.reduce((sum, value, i) => sum + value * at(column, i), 0)),
  );
}

function at(values: ArrayLike<number> | undefined, i: number): number {
  return values?.[i] ?? NaN;
}
