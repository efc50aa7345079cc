/** Has the tests of the project `wgpu` run on Dawn where the engine that runs them has no WebGPU of its own: in Node. */
import { installDawn } from './dawn.ts';

await installDawn();
