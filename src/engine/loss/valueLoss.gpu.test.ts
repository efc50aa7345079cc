import { startBackend } from '../backend/start.ts';
import { failOnDeviceProblems } from '../testing/gpu.ts';
import { valueLossSuite } from './valueLoss.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

valueLossSuite();
