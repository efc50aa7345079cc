/** What tests in a browser share: problems of the device as failures, and how many cases an adapter is asked for. */
import { afterAll, afterEach, inject } from 'vitest';
import { findAdapter } from '../backend/device.ts';
import { onDeviceProblem } from '../backend/deviceHealth.ts';
import type { ModelFiles } from '../hub/types.ts';
import type { DecodePlan } from '../kernels/decode/index.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** KERNELS=all */
    everyCase: boolean;
  }
}

const onHardware = (await findAdapter())?.software === false;

/** How completions are decoded here, as `planFor` chooses it. */
export const decodePlan: DecodePlan = onHardware ? 'groups' : 'quads';

/** All that decode right here: the lanes of hardware part from each other, and swap what is not theirs. */
export const decodePlans: readonly DecodePlan[] = onHardware
  ? ['groups', 'items']
  : ['quads', 'items', 'groups'];

/**
 * Whether tests take all their cases: on hardware, or where KERNELS=all asks for it. On a software adapter, where a barrier costs
 * 10 to 20 times and a kernel seconds to compile, they take one odd case of each variant.
 */
export const everyCase = onHardware || inject('everyCase');

/** All cases, or the few of them that stand for each variant. */
export const casesOf = <T>(all: readonly T[], few: readonly T[]): readonly T[] => (everyCase ? all : few);

/** Of reference models the few are those with biases, with normed heads, and with grouped queries and a head of its own. */
export const modelsOf = (models: readonly ModelFiles[]): readonly ModelFiles[] =>
  casesOf(
    models,
    models.filter(({ label }) => /qwen|untied/.test(label)),
  );

/** A shader that does not compile only shows here: WebGPU goes on with what was in the buffers. */
export function failOnDeviceProblems(): void {
  const problems: string[] = [];
  const stop = onDeviceProblem(({ message }) => problems.push(message));
  afterAll(stop);
  afterEach(() => {
    const news = problems.splice(0);
    if (news.length > 0) throw new Error(news.join('\n'));
  });
}
