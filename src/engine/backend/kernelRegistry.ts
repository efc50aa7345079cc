/**
 * Registration of our own kernels. Each op brings two bodies: WGSL for our WebGPU backend, and calls of the SIMD kernels for
 * `wasm` (the portable twin).
 */
import * as tf from './tf.ts';
import type { TensorInfo } from './tf.ts';
import { hostMemory, type HostMemory } from './host.ts';
import { gpuDispatcher, type GpuDispatcher } from './dispatch.ts';

export const WEBGPU_BACKEND = 'rl-webgpu';
export const WASM_BACKEND = 'wasm';

/** Returns what the current backend computes on. */
export const backendKind = (): 'webgpu' | 'wasm' => (tf.getBackend() === WEBGPU_BACKEND ? 'webgpu' : 'wasm');

export type Inputs = Readonly<Record<string, TensorInfo>>;
export type Attributes = Readonly<Record<string, unknown>>;

/** Runs another registered kernel on the same backend and hands out its raw outputs. */
export type RunKernel = (name: string, inputs: Inputs, attributes?: Attributes) => TensorInfo[];

export interface CompositeContext {
  readonly run: RunKernel;
  /** Frees an intermediate result. */
  readonly dispose: (...tensors: TensorInfo[]) => void;
}

/** An op on the SIMD kernels: its outputs from its inputs. */
export type WasmBody<A> = (
  memory: HostMemory,
  inputs: Inputs,
  attributes: A,
  context: CompositeContext,
) => TensorInfo[];

/** An op on the GPU, recorded as dispatches: its outputs from its inputs. */
export type WebGpuBody<A> = (
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: A,
  context: CompositeContext,
) => TensorInfo[];

export interface KernelBodies<A> {
  readonly name: string;
  readonly wasm: WasmBody<A>;
  readonly webgpu: WebGpuBody<A>;
}

function compositeContext(backendName: string, backend: object): CompositeContext {
  const kernelBackend = backend as tf.KernelBackend;
  return {
    run(name, inputs, attributes = {}) {
      const kernel = tf.getKernel(name, backendName);
      if (!kernel) throw new Error(`No kernel ${name} is registered for the backend ${backendName}.`);
      const output = kernel.kernelFunc({
        inputs: inputs as tf.NamedTensorInfoMap,
        attrs: attributes as tf.NamedAttrMap,
        backend,
      });
      return Array.isArray(output) ? output : [output];
    },
    dispose(...tensors) {
      for (const tensor of tensors) kernelBackend.disposeData(tensor.dataId);
    },
  };
}

function unpack(outputs: TensorInfo[]): TensorInfo | TensorInfo[] {
  const [first] = outputs;
  return outputs.length === 1 && first ? first : outputs;
}

/** Registers an op on wasm alone. A module calls it once for each op, when it is loaded. */
export function registerOnWasm<A>(kernelName: string, body: WasmBody<A>): void {
  tf.registerKernel({
    kernelName,
    backendName: WASM_BACKEND,
    kernelFunc: ({ inputs, attrs, backend }) =>
      unpack(
        body(hostMemory(backend), inputs as Inputs, attrs as A, compositeContext(WASM_BACKEND, backend)),
      ),
  });
}

/** Registers an op on both backends in the same way. */
export function registerOp<A>(bodies: KernelBodies<A>): void {
  registerOnWasm(bodies.name, bodies.wasm);
  tf.registerKernel({
    kernelName: bodies.name,
    backendName: WEBGPU_BACKEND,
    kernelFunc: ({ inputs, attrs, backend }) =>
      unpack(
        bodies.webgpu(
          gpuDispatcher(backend),
          inputs as Inputs,
          attrs as A,
          compositeContext(WEBGPU_BACKEND, backend),
        ),
      ),
  });
}

/** Returns an input by name. @throws Error naming the input that is missing. */
export function input(inputs: Inputs, name: string): TensorInfo {
  const tensor = inputs[name];
  if (!tensor) throw new Error(`The kernel needs an input named ${name}.`);
  return tensor;
}

/** Returns the addresses of inputs by name, in that order: the arguments of a SIMD kernel. */
export const pointers = (memory: HostMemory, inputs: Inputs, ...names: string[]): number[] =>
  names.map((name) => memory.pointer(input(inputs, name)));

/** Runs one of our kernels under the tape. */
export function runOp(
  name: string,
  inputs: Readonly<Record<string, tf.Tensor>>,
  attributes: Attributes = {},
): tf.Tensor[] {
  const output = tf
    .engine()
    .runKernel<tf.Tensor | tf.Tensor[]>(name, inputs as tf.NamedTensorMap, attributes as tf.NamedAttrMap);
  return Array.isArray(output) ? output : [output];
}

/** Runs one of our kernels that has a single output, and returns it. */
export function runSingle(
  name: string,
  inputs: Readonly<Record<string, tf.Tensor>>,
  attributes: Attributes = {},
): tf.Tensor {
  const [output] = runOp(name, inputs, attributes);
  if (!output) throw new Error(`The kernel ${name} returned nothing.`);
  return output;
}

/** Runs one of our kernels that only writes into its inputs. No tape records it. */
export function runInPlace(
  name: string,
  inputs: Readonly<Record<string, tf.Tensor>>,
  attributes: Attributes = {},
): void {
  const backendName = tf.getBackend();
  const kernel = tf.getKernel(name, backendName);
  if (!kernel) throw new Error(`No kernel ${name} is registered for the backend ${backendName}.`);
  kernel.kernelFunc({ inputs, attrs: attributes as tf.NamedAttrMap, backend: tf.backend() });
}
