import { startBackend } from '../backend/start.ts';
import { FROZEN_FORMATS } from '../kernels/frozenMatrix/frozenMatrix.ts';
import { casesOf, failOnDeviceProblems } from '../testing/gpu.ts';
import { mergedBaseSuite } from './mergedBase.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

mergedBaseSuite(casesOf(FROZEN_FORMATS, ['bf16']));
