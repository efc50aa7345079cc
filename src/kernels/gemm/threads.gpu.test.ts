/** Products on several threads, which only a browser has. */
import { beforeAll, expect, test } from 'vitest';
import { hostMemory } from '../../backend/host.ts';
import { startBackend } from '../../backend/start.ts';
import * as tf from '../../backend/tf.ts';
import { bitDifference } from '../checks/compare.ts';
import { freshInputs } from '../checks/random.ts';
import { gemm } from './gemm.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: '/wasm/', threads: 2 });
});

for (const layout of ['nn', 'nt', 'tn'] as const) {
  test(`${layout}: two threads give the same bits as one`, async () => {
    const { threads } = hostMemory(tf.backend());
    expect(threads).toBe(2);
    const random = freshInputs();
    for (const [m, n, k] of [
      [700, 90, 70],
      [64, 352, 2048],
      [3, 1001, 300],
    ] as const) {
      const a = tf.tensor2d(random.floats(m * k), layout === 'tn' ? [k, m] : [m, k]);
      const b = tf.tensor2d(random.floats(k * n), layout === 'nt' ? [n, k] : [k, n]);
      const shared = gemm(a, b, layout);
      // A product of one column at a time is too small to be shared out.
      const columns = tf.split(layout === 'nt' ? tf.transpose(b) : b, n, 1);
      const alone = tf.concat(
        columns.map((column) => gemm(a, layout === 'nt' ? tf.transpose(column) : column, layout)),
        1,
      );
      expect(await bitDifference(`gemm ${layout}`, shared, alone, random.seed)).toBeNull();
    }
  });
}
