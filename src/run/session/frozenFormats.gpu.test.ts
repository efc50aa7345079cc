import { filesAtUrl } from '@rl-playground/engine/parts';
import { startBackend } from '@rl-playground/engine/parts/tensors';
import { everyCase, failOnDeviceProblems } from '@rl-playground/engine/testing/gpu';
import { frozenFormatsSuite } from './frozenFormats.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

const starter = filesAtUrl('starter', '/models/starter');
// A software adapter is asked for two updates beside bf16.
if (everyCase) frozenFormatsSuite(starter, 20);
// What is merged on the GPU is held against float64: `mergedBase.gpu.test.ts`.
else frozenFormatsSuite(starter, 2, [2], false);
