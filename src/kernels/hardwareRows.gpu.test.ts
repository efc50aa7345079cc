/** The suites of ops over rows on the kernels that hardware gets: more invocations, and lanes that share a wide row. */
import { afterEach, beforeAll, describe } from 'vitest';
import { onDeviceProblem } from '../backend/device.ts';
import { startBackend } from '../backend/start.ts';
import { replaceWebGpuKernel } from './checks/replaceKernel.ts';
import type { HeadRotationAttributes, HeadRotationGradientAttributes } from './headRotation/wasm.ts';
import { headRotationSuite } from './headRotation/headRotation.suite.ts';
import { headRotationGradientOnWebGpu, headRotationOnWebGpu } from './headRotation/webgpu.ts';
import type { RmsNormAttributes, RmsNormGradientAttributes } from './rmsNorm/wasm.ts';
import { rmsNormSuite } from './rmsNorm/rmsNorm.suite.ts';
import { rmsNormGradientOnWebGpu, rmsNormOnWebGpu } from './rmsNorm/webgpu.ts';
import type { TokenLogprobsAttributes, TokenLogprobsGradientAttributes } from './tokenLogprobs/wasm.ts';
import { tokenLogprobsSuite } from './tokenLogprobs/tokenLogprobs.suite.ts';
import { tokenLogprobsGradientOnWebGpu, tokenLogprobsOnWebGpu } from './tokenLogprobs/webgpu.ts';

const problems: string[] = [];
onDeviceProblem(({ message }) => problems.push(message));

await startBackend('webgpu');

afterEach(() => {
  const news = problems.splice(0);
  if (news.length > 0) throw new Error(news.join('\n'));
});

describe('rows on hardware', () => {
  beforeAll(() => {
    replaceWebGpuKernel<HeadRotationAttributes>('RlHeadRotation', (gpu, inputs, attributes) =>
      headRotationOnWebGpu({ ...gpu, software: false }, inputs, attributes),
    );
    replaceWebGpuKernel<HeadRotationGradientAttributes>('RlHeadRotationGradient', (gpu, ...rest) =>
      headRotationGradientOnWebGpu({ ...gpu, software: false }, ...rest),
    );
    replaceWebGpuKernel<RmsNormAttributes>('RlRmsNorm', (gpu, inputs, attributes) =>
      rmsNormOnWebGpu({ ...gpu, software: false }, inputs, attributes),
    );
    replaceWebGpuKernel<RmsNormGradientAttributes>('RlRmsNormGradient', (gpu, ...rest) =>
      rmsNormGradientOnWebGpu({ ...gpu, software: false }, ...rest),
    );
    replaceWebGpuKernel<TokenLogprobsAttributes>('RlTokenLogprobs', (gpu, ...rest) =>
      tokenLogprobsOnWebGpu({ ...gpu, software: false }, ...rest),
    );
    replaceWebGpuKernel<TokenLogprobsGradientAttributes>('RlTokenLogprobsGradient', (gpu, ...rest) =>
      tokenLogprobsGradientOnWebGpu({ ...gpu, software: false }, ...rest),
    );
  });
  headRotationSuite();
  rmsNormSuite();
  tokenLogprobsSuite();
});
