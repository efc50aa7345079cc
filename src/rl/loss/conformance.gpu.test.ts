import { startBackend } from '../../backend/start.ts';
import { failOnDeviceProblems, modelsOf } from '../../testing/gpu.ts';
import { describeReferenceModels } from '../../testing/sharedInBrowser.ts';
import { conformanceSuite } from './conformance.suite.ts';

const { line } = await startBackend('webgpu');
failOnDeviceProblems();

describeReferenceModels(`reference models on ${line}`, (models) => conformanceSuite(modelsOf(models)));
