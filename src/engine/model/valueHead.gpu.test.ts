import { startBackend } from '../backend/start.ts';
import { ARCHITECTURES } from '../testing/adaptedModels.ts';
import { casesOf, failOnDeviceProblems } from '../testing/gpu.ts';
import { valueHeadSuite } from './valueHead.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

// All in Node. Normed heads, and ReLU with biases, have kernels of their own here.
valueHeadSuite(casesOf(Object.keys(ARCHITECTURES), ['qwen3', 'arcee']));
