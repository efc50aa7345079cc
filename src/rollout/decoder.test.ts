import { beforeAll, describe } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { TINY_KINDS } from '../testing/tinyModels.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { createDecodeEngine } from './createDecoder.ts';
import { engineSuite } from './decoder.suite.ts';
import { generatorSuite } from './generator.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

for (const kind of TINY_KINDS) {
  describe(`decoding on wasm, ${kind}`, () => {
    engineSuite(
      kind,
      (model) => createDecodeEngine(model, 'f32'),
      () => tf.memory().numTensors,
    );
  });
}

generatorSuite();
