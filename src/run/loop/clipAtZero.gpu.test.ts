import { startBackend } from '@rl-playground/engine/parts/tensors';
import { everyCase, failOnDeviceProblems } from '@rl-playground/engine/testing/gpu';
import { clipAtZeroSuite } from './clipAtZero.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

// On wasm it is a dozen; here each shape has kernels of its own to compile.
clipAtZeroSuite(everyCase ? 200 : 1);
