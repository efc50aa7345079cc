import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { selfTest } from '../selfTest.ts';

/** Runs `body` while the kernel's outputs are multiplied by 1.01, as a broken driver might. */
async function withBrokenKernel(name: string, body: () => Promise<void>): Promise<void> {
  const backendName = tf.getBackend();
  const kernel = tf.getKernel(name, backendName);
  tf.unregisterKernel(name, backendName);
  tf.registerKernel({
    ...kernel,
    kernelFunc: (call) => {
      const multiply = tf.getKernel('Multiply', backendName);
      const scale = tf.scalar(1.01);
      const spoil = (output: tf.TensorInfo) => {
        const inputs = { a: output, b: scale };
        return multiply.kernelFunc({ inputs, backend: call.backend, attrs: {} }) as tf.TensorInfo;
      };
      const outputs = kernel.kernelFunc(call);
      return Array.isArray(outputs) ? outputs.map(spoil) : spoil(outputs);
    },
  });
  try {
    await body();
  } finally {
    tf.unregisterKernel(name, backendName);
    tf.registerKernel(kernel);
  }
}

export function selfTestSuite(): void {
  describe('selfTest', () => {
    test('passes here, many times over, and leaves no tensor behind', async () => {
      const before = tf.memory().numTensors;
      for (let round = 0; round < 5; round++) await expect(selfTest()).resolves.toBeUndefined();
      expect(tf.memory().numTensors).toBe(before);
    });

    for (const name of ['RlGemm', 'RlRmsNormGradient', 'RlTokenLogprobsGradient']) {
      test(`refuses a backend whose ${name} is off by 1 %`, async () => {
        await withBrokenKernel(name, () => expect(selfTest()).rejects.toThrow('computes wrong numbers'));
        await expect(selfTest()).resolves.toBeUndefined();
      });
    }
  });
}
