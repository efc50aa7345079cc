import { beforeAll, expect, test } from 'vitest';
import type { LoadedModel } from '@rl-playground/engine/parts';
import { LOCAL_ENVIRONMENT, startBackend } from '@rl-playground/engine/parts/tensors';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { withBase } from '../checkpoint/baseModel.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import { freshStart, Session } from '../session/onDevice.ts';
import { loadModelNamed } from '../models/modelsInNode.ts';
import { BUNDLED_FACTS, BUNDLED_MODELS } from '../models/bundledModels.ts';
import { defaultConfig } from '../settings/presets/presets.ts';
import { checkpointBytes, exportBytes } from './exportBytes.ts';

let starter: LoadedModel;
beforeAll(async () => {
  starter = await loadModelNamed('starter');
});

const run = defaultConfig('reverse_digits');

test('the size of an export is that of its weights', () => {
  const size = (format: 'merged' | 'peft', type: 'F32' | 'F16' | 'base', loraRank = 0) =>
    exportBytes(starter, { ...run, loraRank, loraTargets: ['q_proj'] }, { format, type });
  expect(size('merged', 'F32')).toBe(4 * 152_768);
  expect(size('merged', 'F16')).toBe(2 * 152_768);
  // The starter's files are F32.
  expect(size('merged', 'base')).toBe(4 * 152_768);
  expect(size('peft', 'F32')).toBeNull();
  const { hiddenSize, layers, heads, headDim } = starter.config;
  expect(size('peft', 'F32', 8)).toBe(4 * 8 * layers * (hiddenSize + heads * headDim));
});

test.each([
  { loraRank: 0, full: false },
  { loraRank: 4, full: false },
  { loraRank: 4, baseFormat: '16bit', full: false },
  { loraRank: 4, baseFormat: '16bit', full: true },
] as const)('the size of a checkpoint is that of its files: %o', async ({ full, ...settings }) => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  const config = { ...run, ...settings, problemsPerStep: 2, rolloutsPerProblem: 2, numGenerators: 1 };
  const session = await Session.open(config, freshStart(starter), LOCAL_ENVIRONMENT);
  const { baseApart } = session;
  await session.trainStep({});
  const own = await checkpointFiles(await session.parts(), { log: false });
  session.dispose();
  const files = [...(full ? withBase(own, starter) : own)];
  const tensors = files.filter(([name]) => name.endsWith('.safetensors'));
  const bytes = tensors.reduce((sum, [, file]) => sum + file.size, 0);
  const expected = checkpointBytes(starter, config, { baseApart, full });
  expect(bytes).toBeGreaterThan(expected);
  // The rest are the headers of the files.
  expect(bytes).toBeLessThan(expected + 30_000);
});

test.each(BUNDLED_MODELS)('%s has as many parameters as is said of it', async (name) => {
  const { weights } = await loadModelNamed(name);
  const counted = [...weights.values()].reduce(
    (sum, { shape }) => sum + shape.reduce((size, side) => size * side, 1),
    0,
  );
  expect(BUNDLED_FACTS[name]?.parameters).toBe(counted);
});
