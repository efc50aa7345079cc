import { startBackend } from '../backend/start.ts';
import { everyCase, failOnDeviceProblems } from '../testing/gpu.ts';
import { optimizerSuite } from './optimizer.suite.ts';
import { trainerSuite } from './trainer.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

optimizerSuite();
trainerSuite(everyCase);
