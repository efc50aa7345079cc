import { beforeAll, describe } from 'vitest';
import { startBackend } from '../../backend/start.ts';
import * as tf from '../../backend/tf.ts';
import { TINY_KINDS } from '../../testing/tinyModels.ts';
import { wasmPathInNode } from '../../testing/wasm.ts';
import { createDecoder } from '../generator.ts';
import { decoderSuite } from './decoder.suite.ts';
import { generatorSuite } from '../generator.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

for (const kind of TINY_KINDS) {
  describe(`decoding on wasm, ${kind}`, () => {
    decoderSuite({
      kind,
      create: (model) => createDecoder(model, 'f32'),
      memory: () => tf.memory().numTensors,
    });
  });
}

describe('decoding on wasm, keys and values in 16 bit', () => {
  decoderSuite({
    kind: 'gqa',
    create: (model) => createDecoder({ ...model, cachePrecision: 'f16' }, 'f32'),
    memory: () => tf.memory().numTensors,
    kernelsOnly: true,
  });
});

generatorSuite();
