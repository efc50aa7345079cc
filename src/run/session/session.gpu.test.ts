import { filesAtUrl } from '@rl-playground/engine/parts';
import { startBackend } from '@rl-playground/engine/parts/tensors';
import { everyCase, failOnDeviceProblems } from '@rl-playground/engine/testing/gpu';
import { sessionSuite } from './session.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

// That a run is repeated to the bit is asked in Node; here the run that is resumed is held to one of its own kind.
sessionSuite(filesAtUrl('starter', '/models/starter'), everyCase);
