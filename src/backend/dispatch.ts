/**
 * Raw WebGPU dispatches recorded into the command stream of tfjs' own backend, so that our kernels (several outputs,
 * in-place writes) and tfjs' ops share one order. The only place that names private members of tfjs 4.22.0.
 */
import * as tf from './tf.ts';
import type { TensorInfo } from './tf.ts';

/** The members of tfjs-backend-webgpu 4.22.0 that raw dispatch needs; several are private in its types. */
interface WebGpuInternals {
  device: GPUDevice;
  queue: GPUQueue;
  commandEncoder: GPUCommandEncoder | null;
  computePassEncoder: GPUComputePassEncoder | null;
  commandQueueOwnedIds: WeakSet<object>;
  dispatchCountInPass: number;
  uniformPendingDisposal: GPUBuffer[];
  bufferManager: { acquireBuffer(size: number, usage: number): GPUBuffer };
  tensorMap: { get(id: object): { resource?: GPUBuffer; values: unknown } };
  makeTensorInfo(shape: number[], dtype: 'float32' | 'int32'): TensorInfo;
  uploadToGPU(id: object): void;
  ensureCommandEncoderReady(): void;
  endComputePassEncoder(): void;
  submitQueue(): void;
}

export interface UniformWord {
  readonly type: 'u32' | 'f32';
  readonly value: number;
}
export const u32 = (value: number): UniformWord => ({ type: 'u32', value });
export const f32 = (value: number): UniformWord => ({ type: 'f32', value });

export interface DispatchRequest {
  /** Names the code: equal keys must mean equal WGSL. */
  readonly key: string;
  /** The module, built only when the key is new. Entry point `main`; bindings as `shaderHeader` lays them out. */
  readonly code: () => string;
  readonly reads: readonly TensorInfo[];
  readonly writes: readonly TensorInfo[];
  readonly uniforms: readonly UniformWord[];
  readonly workgroups: readonly [number, number?, number?];
}

export interface GpuDispatcher {
  readonly device: GPUDevice;
  allocate(shape: number[], dtype: 'float32' | 'int32'): TensorInfo;
  dispatch(request: DispatchRequest): void;
  /** Ends the open pass and submits what is recorded. */
  flush(): void;
}

/** The largest grid side that every WebGPU device allows. */
const MAX_WORKGROUPS_PER_SIDE = 65535;

const dispatchers = new WeakMap<object, GpuDispatcher>();

export function gpuDispatcher(backend: unknown): GpuDispatcher {
  const internals = backend as WebGpuInternals;
  const known = dispatchers.get(internals);
  if (known) return known;
  const dispatcher = createDispatcher(internals);
  dispatchers.set(internals, dispatcher);
  return dispatcher;
}

function createDispatcher(internals: WebGpuInternals): GpuDispatcher {
  if (tf.version_core !== '4.22.0') {
    throw new Error(
      `Raw dispatch was written for tfjs 4.22.0, found ${tf.version_core}. Pin tfjs to 4.22.0.`,
    );
  }
  const pipelines = new Map<string, GPUComputePipeline>();

  function pipelineFor(request: DispatchRequest): GPUComputePipeline {
    const known = pipelines.get(request.key);
    if (known) return known;
    const module = internals.device.createShaderModule({ label: request.key, code: request.code() });
    const pipeline = internals.device.createComputePipeline({
      label: request.key,
      layout: 'auto',
      compute: { module, entryPoint: 'main' },
    });
    pipelines.set(request.key, pipeline);
    return pipeline;
  }

  function uniformBuffer(words: readonly UniformWord[]): GPUBuffer {
    const bytes = new DataView(new ArrayBuffer(Math.ceil((words.length * 4) / 16) * 16));
    words.forEach((word, i) => {
      if (word.type === 'u32') bytes.setUint32(i * 4, word.value, true);
      else bytes.setFloat32(i * 4, word.value, true);
    });
    const buffer = internals.bufferManager.acquireBuffer(
      bytes.byteLength,
      GPUBufferUsage.COPY_DST | GPUBufferUsage.UNIFORM,
    );
    internals.queue.writeBuffer(buffer, 0, bytes.buffer);
    internals.uniformPendingDisposal.push(buffer);
    return buffer;
  }

  function resourceOf(tensor: TensorInfo): GPUBuffer {
    internals.uploadToGPU(tensor.dataId);
    const { resource } = internals.tensorMap.get(tensor.dataId);
    if (!resource) throw new Error('A tensor has no GPU buffer after its upload.');
    // Without this the buffer could be recycled while recorded work still refers to it.
    internals.commandQueueOwnedIds.add(tensor.dataId);
    return resource;
  }

  return {
    device: internals.device,
    allocate: (shape, dtype) => internals.makeTensorInfo(shape, dtype),
    dispatch(request) {
      const [x, y = 1, z = 1] = request.workgroups;
      if (Math.max(x, y, z) > MAX_WORKGROUPS_PER_SIDE) {
        throw new Error(
          `${request.key}: a grid of ${x} x ${y} x ${z} workgroups; at most ${MAX_WORKGROUPS_PER_SIDE} a side.`,
        );
      }
      const pipeline = pipelineFor(request);
      const buffers = [...request.reads, ...request.writes].map(resourceOf);
      for (const tensor of request.writes) internals.tensorMap.get(tensor.dataId).values = null;
      if (request.uniforms.length > 0) buffers.push(uniformBuffer(request.uniforms));
      const bindGroup = internals.device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
      });
      internals.ensureCommandEncoderReady();
      internals.computePassEncoder ??= internals.commandEncoder?.beginComputePass() ?? null;
      const pass = internals.computePassEncoder;
      if (!pass) throw new Error('The WebGPU backend has no open compute pass.');
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindGroup);
      pass.dispatchWorkgroups(x, y, z);
      internals.dispatchCountInPass++;
      if (internals.dispatchCountInPass >= tf.env().getNumber('WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE')) {
        internals.endComputePassEncoder();
        internals.submitQueue();
      }
    },
    flush() {
      internals.endComputePassEncoder();
      // submitQueue on an empty encoder throws in tfjs 4.22.0.
      if (internals.commandEncoder) internals.submitQueue();
    },
  };
}

/** Declares bindings in the order `dispatch` binds them: reads, writes, uniforms. Entries are `name: element type`. */
export function shaderHeader(bindings: {
  reads: readonly string[];
  writes: readonly string[];
  uniforms: readonly string[];
}): string {
  const lines: string[] = [];
  let index = 0;
  const declare = (access: string, entry: string) => {
    const [name, type] = entry.split(':').map((part) => part.trim());
    lines.push(`@group(0) @binding(${index++}) var<storage, ${access}> ${name}: array<${type}>;`);
  };
  for (const entry of bindings.reads) declare('read', entry);
  for (const entry of bindings.writes) declare('read_write', entry);
  if (bindings.uniforms.length > 0) {
    lines.push(`struct Params { ${bindings.uniforms.join(', ')} }`);
    lines.push(`@group(0) @binding(${index}) var<uniform> params: Params;`);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * A grid for `items` invocations of workgroups of `size`, folded over two sides where one is too short. The shader finds
 * its item as `(group.y * groupsPerRow + group.x) * size + local`.
 */
export function foldedGrid(
  items: number,
  size: number,
): { workgroups: [number, number]; groupsPerRow: number } {
  const groups = Math.max(1, Math.ceil(items / size));
  const groupsPerRow = Math.min(groups, MAX_WORKGROUPS_PER_SIDE);
  return { workgroups: [groupsPerRow, Math.ceil(groups / groupsPerRow)], groupsPerRow };
}
