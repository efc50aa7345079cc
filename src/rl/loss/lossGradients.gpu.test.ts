import { startBackend } from '../../backend/start.ts';
import { failOnDeviceProblems } from '../../testing/gpu.ts';
import { lossGradientsSuite } from './lossGradients.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

lossGradientsSuite();
