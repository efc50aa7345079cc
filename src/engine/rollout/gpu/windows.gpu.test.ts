/** Layers with windows in the GPU's own decoding. */
import { expect, test } from 'vitest';
import { casesOf, decodePlan } from '../../testing/gpu.ts';
import { watchGpuBytes } from '../../testing/gpuBytes.ts';
import { testDevice } from '../../testing/gpuDevice.ts';
import type { GeneratorModel } from '../decoding/decoder.ts';
import { openConfig, windowedConfig, windowedDecoder, windowSuite } from '../decoding/windows.suite.ts';
import { GpuDecoder } from './decoder.ts';

const gpu = testDevice();
const create = (model: GeneratorModel): GpuDecoder => new GpuDecoder(gpu.device, model, decodePlan, 'f32');

windowSuite(create, casesOf([1, 11, 16, 17, 32, 40], [1, 33]));

test('a layer has pages for its window, and sixteen more for a prefill', async () => {
  const live = watchGpuBytes(gpu.device);
  const windowed = windowedConfig(33);
  const bytes: number[] = [];
  for (const config of [windowed, openConfig(windowed)]) {
    const before = live.bytes();
    const engine = windowedDecoder(create, config, { positions: 1000 });
    const promptIds = Array.from({ length: 900 }, () => 1);
    const sampling = { temperature: 0, topP: 1, topK: 0, maxTokens: 97, stop: [] };
    const breathe = (): Promise<void> => Promise.resolve();
    await engine.generate([{ promptIds, samples: 1, seed: 0, step: 0, problem: 0 }], sampling, { breathe });
    bytes.push(live.bytes() - before);
    engine.dispose();
  }
  live.stop();
  const [kept = NaN, all = NaN] = bytes;
  // 57 pages of the prompt and 6 of the row, beside 4 of each and 16: pages of 4 KB. A second table lists 63 pages.
  expect(all - kept).toBe(2 * (57 + 6 - 4 - 4 - 16) * 4096 - 63 * 4 - 4);
});
