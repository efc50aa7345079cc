import { startBackend } from '../backend/start.ts';
import { BLOCK_FORMATS } from '../kernels/blockFormats/blockFormats.ts';
import { casesOf, failOnDeviceProblems } from '../testing/gpu.ts';
import { blockBaseSuite } from './blockBase.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

blockBaseSuite(casesOf(BLOCK_FORMATS, ['q4_1']));
