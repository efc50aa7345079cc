import { startBackend } from '../backend/start.ts';
import { casesOf, failOnDeviceProblems } from '../testing/gpu.ts';
import { mergedBaseSuite } from './mergedBase.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

mergedBaseSuite(casesOf(['f32', 'f16', 'bf16', 'q8', 'q4', 'q4_1'] as const, ['bf16']));
