import { startBackend } from '../backend/start.ts';
import { failOnDeviceProblems } from '../testing/gpu.ts';
import { valueHeadSuite } from './valueHead.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

valueHeadSuite();
