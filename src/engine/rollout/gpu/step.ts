/**
 * A dispatch before there are buffers: a kernel, and a choice of the buffers that it will bind. So all kernels of a model can be compiled
 * before prompts arrive, and buffers can be replaced by larger ones.
 */
import type { DecodeKernel } from '../../kernels/decode/index.ts';
import type { BufferSlice, GpuBuffers } from './buffers.ts';

export type Bound = GPUBuffer | BufferSlice;

export interface Step {
  readonly kernel: DecodeKernel;
  /** Chooses the bindings, in the order of the kernel's. */
  readonly bind: (buffers: GpuBuffers) => readonly Bound[];
}

export interface BatchPlan<Dispatch> {
  /** The first token of every fresh row. */
  readonly first: readonly Dispatch[];
  /** One token of every running row. */
  readonly token: readonly Dispatch[];
  /** Prompt tokens: the embedding, each layer, and keeping the hidden state of the last tokens. */
  readonly prefill: {
    readonly before: readonly Dispatch[];
    readonly layers: readonly (readonly Dispatch[])[];
    readonly after: readonly Dispatch[];
  };
}

export function dispatchesOf<Dispatch>({ first, token, prefill }: BatchPlan<Dispatch>): Dispatch[] {
  return [...first, ...token, ...prefill.before, ...prefill.layers.flat(), ...prefill.after];
}

/** Returns a function that makes the kernel of a specification, or returns the one that it made of an equal one. */
export function kernelsOnce(): (spec: object, make: () => DecodeKernel) => DecodeKernel {
  const made = new Map<string, DecodeKernel>();
  return (spec, make) => {
    const key = JSON.stringify(spec);
    const kernel = made.get(key) ?? make();
    made.set(key, kernel);
    return kernel;
  };
}
