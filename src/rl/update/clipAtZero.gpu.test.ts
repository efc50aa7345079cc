import { startBackend } from '../../backend/start.ts';
import { everyCase, failOnDeviceProblems } from '../../testing/gpu.ts';
import { clipAtZeroSuite } from './clipAtZero.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

// On wasm it is a dozen; here each shape has kernels of its own to compile.
clipAtZeroSuite(everyCase ? 200 : 1);
