import { startBackend } from '../../backend/start.ts';
import { everyCase, failOnDeviceProblems } from '../../testing/gpu.ts';
import { clipAtZeroSuite } from './clipAtZero.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

clipAtZeroSuite(everyCase ? 200 : 3);
