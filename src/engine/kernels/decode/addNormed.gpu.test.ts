/** The sum of x and a norm is compared with float64. */
import { expect, test } from 'vitest';
import { worstDifference } from '../../testing/accuracy.ts';
import { decodePlans } from '../../testing/gpu.ts';
import { testDevice } from '../../testing/gpuDevice.ts';
import { rowList, runKernel } from './runKernel.ts';
import { freshInputs } from '../testing/random.ts';
import { rmsNormReference } from '../testing/reference.ts';
import { addNormedKernel } from './addNormed.ts';

const gpu = testDevice();

test.each(decodePlans)('norm + residual, %s: 19 rows of 300', async (plan) => {
  const random = freshInputs();
  const [rows, width] = [19, 300];
  const [y, x, gamma] = [rows * width, rows * width, width].map((size) =>
    Float32Array.from(random.floats(size)),
  ) as [Float32Array<ArrayBuffer>, Float32Array<ArrayBuffer>, Float32Array<ArrayBuffer>];
  const spec = { width, epsilon: 1e-6, shift: 1, scale: 0.5 };
  const results = await runKernel(
    gpu.device,
    addNormedKernel(spec, plan),
    [rowList(rows, () => ({})), y, x, gamma],
    rows,
  );
  const normed = rmsNormReference(Float64Array.from(y), Float64Array.from(gamma), 1e-6, 1);
  const expected = normed.map((value, i) => (x[i] ?? NaN) + 0.5 * value);
  const found = new Float32Array(results[2] ?? new ArrayBuffer(0));
  expect(worstDifference(found, expected), `seed ${random.seed}`).toBeLessThan(3e-6);
});
