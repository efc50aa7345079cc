import { startBackend } from '../backend/start.ts';
import { everyCase, failOnDeviceProblems } from '../testing/gpu.ts';
import { lossGradientsSuite } from './lossGradients.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

// With all its cases in Node.
lossGradientsSuite(everyCase);
