import { startBackend } from '../backend/start.ts';
import { failOnDeviceProblems } from '../testing/gpu.ts';
import { engineSuite } from './engine.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

engineSuite();
