/** WebGPU in Node by Dawn: npm’s package `webgpu`, which a person brings along for a machine without a browser. */
import { availableParallelism } from 'node:os';

interface Dawn {
  readonly create: (flags: readonly string[]) => GPU;
  readonly globals: Readonly<Record<string, unknown>>;
}

/** The name lies in a variable, so that nobody asks for the package where nobody wants it. */
const PACKAGE: string = 'webgpu';

/** Puts Dawn’s WebGPU where a browser has it, unless there is one. @throws Error if the package is missing. */
export async function installDawn(): Promise<void> {
  if ((globalThis.navigator as Navigator | undefined)?.gpu) return;
  const { create, globals } = (await import(/* @vite-ignore */ PACKAGE)) as Dawn;
  Object.assign(globalThis, globals);
  // Node has a navigator from version 21 on, and it can't be added to.
  const { userAgent = 'Node.js' } = (globalThis.navigator as Navigator | undefined) ?? {};
  const navigator = { gpu: create([]), userAgent, hardwareConcurrency: availableParallelism() };
  Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true });
}
