import { startBackend } from '../backend/start.ts';
import { filesAtUrl } from '../hub/sources.ts';
import { failOnDeviceProblems } from '../testing/gpu.ts';
import { sessionSuite } from './session.suite.ts';

await startBackend('webgpu');
failOnDeviceProblems();

sessionSuite(filesAtUrl('starter', '/models/starter'));
