import { describe } from 'vitest';
import { filesAtUrl } from '@rl-playground/engine/parts';
import { everyCase } from '@rl-playground/engine/testing/gpu';
import { peersSuite } from './peers.suite.ts';

/** On a software adapter a minute of compiling other libraries' kernels; there the same suite on wasm (peers.test.ts) stands for it. */
describe.runIf(everyCase)('on WebGPU', () => {
  peersSuite({ backend: 'webgpu', wasmPath: '/wasm/', threads: 1 }, (label) =>
    filesAtUrl(label, '/models/starter/'),
  );
});
