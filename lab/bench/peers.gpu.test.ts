import { describe } from 'vitest';
import { filesAtUrl } from '@rl-playground/engine/parts';
import { everyCase } from '@rl-playground/engine/testing/gpu';
import { peersSuite } from './peers.suite.ts';

/**
 * The suite on WebGPU. A software adapter would compile other libraries' kernels for a minute; there the same suite on wasm
 * (peers.test.ts) replaces it.
 */
describe.runIf(everyCase)('on WebGPU', () => {
  const onnxPath = `${location.origin}/onnxruntime/`;
  peersSuite({ backend: 'webgpu', hardware: true, wasmPath: '/wasm/', onnxPath, threads: 1 }, (label) =>
    filesAtUrl(label, '/models/starter/'),
  );
});
