/** The suites of ops over rows on the kernels that hardware gets: more invocations, and lanes that share a wide row. */
import { describe } from 'vitest';
import type { WebGpuBody } from '../backend/kernelRegistry.ts';
import { startBackend } from '../backend/start.ts';
import { replaceWebGpuKernel } from './testing/replaceKernel.ts';
import { headRotationSuite } from './headRotation/headRotation.suite.ts';
import { headRotationGradientOnWebGpu, headRotationOnWebGpu } from './headRotation/webgpu.ts';
import { rmsNormSuite } from './rmsNorm/rmsNorm.suite.ts';
import { rmsNormGradientOnWebGpu, rmsNormOnWebGpu } from './rmsNorm/webgpu.ts';
import { tokenLogprobsSuite } from './tokenLogprobs/tokenLogprobs.suite.ts';
import { tokenLogprobsGradientOnWebGpu, tokenLogprobsOnWebGpu } from './tokenLogprobs/webgpu.ts';
import { everyCase, failOnDeviceProblems } from '../testing/gpu.ts';

await startBackend('webgpu');

failOnDeviceProblems();

const onHardware =
  <A>(body: WebGpuBody<A>): WebGpuBody<A> =>
  (gpu, ...rest) =>
    body({ ...gpu, software: false }, ...rest);

describe('rows on hardware', () => {
  replaceWebGpuKernel('RlHeadRotation', onHardware(headRotationOnWebGpu));
  replaceWebGpuKernel('RlHeadRotationGradient', onHardware(headRotationGradientOnWebGpu));
  replaceWebGpuKernel('RlRmsNorm', onHardware(rmsNormOnWebGpu));
  replaceWebGpuKernel('RlRmsNormGradient', onHardware(rmsNormGradientOnWebGpu));
  replaceWebGpuKernel('RlTokenLogprobs', onHardware(tokenLogprobsOnWebGpu));
  replaceWebGpuKernel('RlTokenLogprobsGradient', onHardware(tokenLogprobsGradientOnWebGpu));
  headRotationSuite(everyCase);
  rmsNormSuite(everyCase);
  tokenLogprobsSuite(everyCase);
});
