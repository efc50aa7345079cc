/** Layers with windows on wasm. */
import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../../backend/start.ts';
import * as tf from '../../backend/tf.ts';
import { wasmPathInNode } from '../../testing/wasm.ts';
import { createDecoder } from '../generator.ts';
import { openConfig, windowedConfig, windowedDecoder, windowSuite } from './windows.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

windowSuite((model) => createDecoder(model, 'f32'), [1, 11, 40]);

test('a row and its prompt have keys and values for as many positions as the window has', async () => {
  const windowed = windowedConfig(11);
  const bytes: number[] = [];
  for (const config of [windowed, openConfig(windowed)]) {
    const engine = windowedDecoder((model) => createDecoder(model, 'f32'), config);
    const promptIds = Array.from({ length: 100 }, () => 1);
    const sampling = { temperature: 0, topP: 1, topK: 0, maxTokens: 20, stop: [] };
    const breathe = (): Promise<void> => Promise.resolve();
    const held: number[] = [];
    await engine.generate([{ promptIds, samples: 2, seed: 0, step: 0, problem: 0 }], sampling, {
      breathe,
      onProgress: () => held.push(tf.memory().numBytes),
    });
    engine.dispose();
    bytes.push(held[0] ?? NaN);
  }
  const [kept = NaN, all = NaN] = bytes;
  // Two layers, two rows and a prompt, 112 + 20 positions rounded up to 144, and 2 heads of 16 keys and 16 values.
  expect(all - kept).toBe(2 * 3 * (144 - 11) * 2 * (16 + 16) * 4);
});
