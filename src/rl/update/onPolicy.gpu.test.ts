import { startBackend } from '../../backend/start.ts';
import { failOnDeviceProblems } from '../../testing/gpu.ts';
import { onPolicySuite } from './onPolicy.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

onPolicySuite();
