import { startBackend } from '@rl-playground/engine/parts/tensors';
import { casesOf, failOnDeviceProblems } from '@rl-playground/engine/testing/gpu';
import { TINY_KINDS } from '@rl-playground/engine/testing/tinyModels';
import { onPolicySuite } from './onPolicy.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

onPolicySuite(casesOf(TINY_KINDS, ['gqa']));
