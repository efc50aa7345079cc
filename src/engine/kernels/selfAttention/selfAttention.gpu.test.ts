/** The suite on the kernels of devices that are not here. */
import { describe } from 'vitest';
import { kernelLimits } from '../../backend/adapterFacts.ts';
import { gpuDispatcher } from '../../backend/dispatch.ts';
import { startBackend } from '../../backend/start.ts';
import * as tf from '../../backend/tf.ts';
import { replaceWebGpuKernel } from '../testing/replaceKernel.ts';
import type { SelfAttentionAttributes } from './wasm.ts';
import { attentionPlan, type AttentionDevice, attendBy, gradientBy } from './webgpu.ts';
import { SELF_ATTENTION_CASES, selfAttentionSuite } from './selfAttention.suite.ts';
import { casesOf, failOnDeviceProblems } from '../../testing/gpu.ts';

await startBackend('webgpu');

failOnDeviceProblems();

function useKernelsOf(device: AttentionDevice): void {
  replaceWebGpuKernel<SelfAttentionAttributes>('RlSelfAttention', (gpu, inputs, attributes) =>
    attendBy(attentionPlan(device, attributes.headDim), gpu, inputs, attributes),
  );
  replaceWebGpuKernel<SelfAttentionAttributes>(
    'RlSelfAttentionGradient',
    (gpu, inputs, attributes, context) => [
      gradientBy(attentionPlan(device, attributes.headDim), gpu, inputs, attributes, context),
    ],
  );
}

const DEVICES: readonly [string, AttentionDevice][] = [
  ['hardware, 32 KB', { software: false, subgroups: true, maxWorkgroupBytes: 32_768 }],
  ['hardware, 16 KB', { software: false, subgroups: false, maxWorkgroupBytes: 16_384 }],
  ['software without subgroups', { software: true, subgroups: false, maxWorkgroupBytes: 16_384 }],
];

/** The cases. Plans for large heads take a software adapter seconds to compile, and `kernels.gpu.test.ts` has them for the present adapter. */
const CASES = casesOf(SELF_ATTENTION_CASES, [{ batch: 2, length: 7, heads: 4, kvHeads: 2, headDim: 6 }]);

const [large, , software] = DEVICES;
const { maxComputeWorkgroupStorageSize } = kernelLimits(gpuDispatcher(tf.backend()).device);
for (const [name, device] of casesOf(
  DEVICES.filter(({ 1: { maxWorkgroupBytes } }) => maxWorkgroupBytes <= maxComputeWorkgroupStorageSize),
  [large, software].filter((each) => each !== undefined),
)) {
  describe(`attention on ${name}`, () => {
    useKernelsOf(device);
    selfAttentionSuite(CASES);
  });
}
