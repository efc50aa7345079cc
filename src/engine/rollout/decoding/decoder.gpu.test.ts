/** Generators on the WebGPU backend that the page would start. */
import { startBackend } from '../../backend/start.ts';
import { everyCase, failOnDeviceProblems } from '../../testing/gpu.ts';
import { generatorSuite } from '../generator.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

generatorSuite(!everyCase);
