import { startBackend } from '../../backend/start.ts';
import { casesOf, failOnDeviceProblems } from '../../testing/gpu.ts';
import { TINY_KINDS } from '../../testing/tinyModels.ts';
import { onPolicySuite } from './onPolicy.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

onPolicySuite(casesOf(TINY_KINDS, ['gqa']));
