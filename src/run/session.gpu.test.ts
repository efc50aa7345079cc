import { startBackend } from '../backend/start.ts';
import { filesAtUrl } from '../hub/sources.ts';
import { everyCase, failOnDeviceProblems } from '../testing/gpu.ts';
import { sessionSuite } from './session.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

// That a run is repeated to the bit is asked in Node; here the run that is resumed is held to one of its own kind.
sessionSuite(filesAtUrl('starter', '/models/starter'), everyCase);
