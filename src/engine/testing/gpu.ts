/** Helpers of tests in a browser: problems of the device become failures, and the adapter decides how many cases are tested. */
import { afterAll, afterEach, inject } from 'vitest';
import { hasFeature } from '../backend/adapterFacts.ts';
import { findAdapter } from '../backend/device.ts';
import { onDeviceProblem } from '../backend/deviceHealth.ts';
import type { ModelFiles } from '../hub/types.ts';
import type { DecodePlan } from '../kernels/decode/index.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** True with KERNELS=all. */
    everyCase: boolean;
  }
}

const found = await findAdapter();
const onHardware = found?.facts.software === false;
/** True if the adapter here has a feature. */
export const adapterHas = (feature: GPUFeatureName): boolean =>
  found !== null && hasFeature(found.adapter, feature);

/** All plans that decode right here. Lanes of hardware diverge and swap wrong values under `quads`, and wgpu has no subgroups. */
export const decodePlans: readonly [DecodePlan, ...DecodePlan[]] = onHardware
  ? ['groups', 'items']
  : adapterHas('subgroups')
    ? ['quads', 'items', 'groups']
    : ['items', 'groups'];

/** The plan of decoding here, as `planFor` chooses it. */
export const [decodePlan] = decodePlans;

/**
 * True if tests run all their cases: on hardware, or with KERNELS=all. On a software adapter, where a barrier costs 10 to 20 times as
 * much and a kernel takes seconds to compile, they run one odd case of each variant.
 */
export const everyCase = onHardware || inject('everyCase');

/** All cases, or the few that represent each variant. */
export const casesOf = <T>(all: readonly T[], few: readonly T[]): readonly T[] => (everyCase ? all : few);

/** All reference models, or the few with biases, with normed heads, and with grouped queries and a head of its own. */
export const modelsOf = (models: readonly ModelFiles[]): readonly ModelFiles[] =>
  casesOf(
    models,
    models.filter(({ label }) => /qwen|untied/.test(label)),
  );

/** Makes problems of the device fail a test. A shader that does not compile only shows here: WebGPU goes on with whatever is in the buffers. */
export function failOnDeviceProblems(): void {
  const problems: string[] = [];
  const stop = onDeviceProblem(({ message }) => problems.push(message));
  afterAll(stop);
  afterEach(() => {
    const news = problems.splice(0);
    if (news.length > 0) throw new Error(news.join('\n'));
  });
}
