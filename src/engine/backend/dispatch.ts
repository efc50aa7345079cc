/**
 * Raw WebGPU dispatches recorded into the command stream of tfjs' own backend, so that our kernels (several outputs,
 * in-place writes, parts of buffers) and tfjs' ops share one order.
 */
import * as tf from './tf.ts';
import type { TensorInfo } from './tf.ts';
import { factsOfDevice } from './adapterFacts.ts';
import {
  bindGroups,
  uniformBatch,
  type BufferRange,
  type Signature,
  type UniformWord,
} from './gpuBindings.ts';
import { guardBuffers } from './bufferGuard.ts';
import { gpuInternals, idleBuffers, type WebGpuInternals } from './gpuInternals.ts';
import { readBack } from './readBack.ts';

export { f32, u32, type UniformWord } from './gpuBindings.ts';

/** A part of a tensor, in elements of 4 bytes; `offset` is a multiple of 64 (256 bytes). */
export interface TensorPart {
  readonly tensor: TensorInfo;
  readonly offset: number;
  readonly length: number;
}

export type Binding = TensorInfo | TensorPart;

const tensorOf = (binding: Binding): TensorInfo => ('dataId' in binding ? binding : binding.tensor);

export interface DispatchRequest {
  /** Names the code: equal keys must mean equal WGSL. */
  readonly key: string;
  /** Builds the module, only if the key is new. Its entry point is `main`, and its bindings are as `shaderHeader` lays them out. */
  readonly code: () => string;
  /** No buffer may be among both the reads and the writes. */
  readonly reads: readonly Binding[];
  readonly writes: readonly Binding[];
  readonly uniforms: readonly UniformWord[];
  readonly workgroups: readonly [number, number?, number?];
  /** The number of multiplications, if there are many: a batch with much work is submitted early. */
  readonly work?: number;
}

export interface GpuDispatcher {
  readonly device: GPUDevice;
  /** The adapter computes on the CPU. */
  readonly software: boolean;
  /** `label` names the buffer, for error messages and for tools that count buffers. */
  allocate(shape: number[], dtype: 'float32' | 'int32', label?: string): TensorInfo;
  dispatch(request: DispatchRequest): void;
  /** Writes into a tensor from the host, after everything that is recorded. The offset and the length must be multiples of four bytes. */
  write(tensor: TensorInfo, firstByte: number, bytes: Uint8Array): void;
  /**
   * Fills `target` with a part of a tensor, as it is after everything that is recorded. The offset and the length must be multiples of
   * four bytes.
   */
  read(tensor: TensorInfo, firstByte: number, target: Uint8Array): Promise<void>;
  /**
   * Returns the buffer of a tensor, for commands of one's own, and submits everything that is recorded. The buffer is valid until the
   * tensor is disposed of.
   */
  bufferOf(tensor: TensorInfo): GPUBuffer;
  /** Ends the open pass and submits what is recorded. */
  flush(): void;
  endStep(): void;
  /**
   * Compiles every kernel that `work` would run, all at once and off the main thread, and runs none of them. Tensors that `work` makes
   * hold nothing. Nothing else may run on this backend meanwhile.
   */
  compileAhead(work: () => void | Promise<void>): Promise<void>;
}

/** The alignment of a part, in elements of 4 bytes: every WebGPU device can bind a part that begins at a multiple of 256 bytes. */
const PART_ALIGNMENT = 64;
/** The largest grid side that every WebGPU device allows. */
const MAX_WORKGROUPS_PER_SIDE = 65535;

/** The largest number of dispatches in a submission. */
const BATCH = 64;
/** The largest number of multiplications in a submission: some 0.2 s on a slow integrated GPU, whose driver gives up after 2 s. */
const BATCH_WORK = 2e10;

const dispatchers = new WeakMap<object, GpuDispatcher>();

export function gpuDispatcher(backend: object): GpuDispatcher {
  const known = dispatchers.get(backend);
  if (known) return known;
  const dispatcher = createDispatcher(gpuInternals(backend));
  dispatchers.set(backend, dispatcher);
  return dispatcher;
}

function createDispatcher(internals: WebGpuInternals): GpuDispatcher {
  const { device } = internals;
  const groups = bindGroups(device);
  const uniforms = uniformBatch(device, BATCH);
  const pipelines = new Map<string, GPUComputePipeline>();
  guardBuffers(internals);
  const idle = idleBuffers(internals.bufferManager);
  let compiling: Map<string, Promise<void>> | null = null;
  let work = 0;
  tf.env().set('WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE', BATCH);

  const submitQueue = internals.submitQueue.bind(internals);
  internals.submitQueue = () => {
    uniforms.flush();
    submitQueue();
    idle.bound();
    work = 0;
  };

  function openPass(): GPUComputePassEncoder {
    internals.computePassEncoder ??= internals.commandEncoder?.beginComputePass() ?? null;
    if (!internals.computePassEncoder) throw new Error('The WebGPU backend has no open command encoder.');
    return internals.computePassEncoder;
  }

  function submit(): void {
    internals.endComputePassEncoder();
    internals.submitQueue();
  }

  function flush(): void {
    internals.endComputePassEncoder();
    // submitQueue on an empty encoder throws in tfjs 4.22.0.
    if (internals.commandEncoder) internals.submitQueue();
  }

  function descriptorOf({ key, code }: DispatchRequest, signature: Signature): GPUComputePipelineDescriptor {
    const module = device.createShaderModule({ label: key, code: code() });
    const layout = groups.pipelineLayout(signature);
    return { label: key, layout, compute: { module, entryPoint: 'main' } };
  }

  function compile(
    request: DispatchRequest,
    signature: Signature,
    pending: Map<string, Promise<void>>,
  ): void {
    const { key } = request;
    if (pipelines.has(key) || pending.has(key)) return;
    const made = device.createComputePipelineAsync(descriptorOf(request, signature));
    pending.set(
      key,
      made.then((pipeline) => void pipelines.set(key, pipeline)),
    );
  }

  function pipelineFor(request: DispatchRequest, signature: Signature): GPUComputePipeline {
    const known = pipelines.get(request.key);
    if (known) return known;
    const pipeline = device.createComputePipeline(descriptorOf(request, signature));
    pipelines.set(request.key, pipeline);
    return pipeline;
  }

  function bufferOf({ dataId }: TensorInfo): GPUBuffer {
    const data = internals.tensorMap.get(dataId);
    if (!data.resource) internals.uploadToGPU(dataId);
    if (!data.resource) throw new Error('A tensor has no GPU buffer after its upload.');
    // tfjs would hold a freed tensor's buffer back until the submission. There is no need: what is recorded later also
    // runs later, and a write from the host submits what is recorded first. The next kernel finds the buffer still in the caches.
    return data.resource;
  }

  function rangeOf(binding: Binding): BufferRange {
    const buffer = bufferOf(tensorOf(binding));
    if ('dataId' in binding) return { buffer, offset: 0, size: buffer.size };
    if (binding.offset % PART_ALIGNMENT !== 0) {
      throw new Error(
        `A part of a tensor begins at ${binding.offset}; it must be a multiple of ${PART_ALIGNMENT}.`,
      );
    }
    return { buffer, offset: binding.offset * 4, size: binding.length * 4 };
  }

  return {
    device,
    software: factsOfDevice(device).software,
    allocate(shape, dtype, label) {
      const tensor = internals.makeTensorInfo(shape, dtype);
      if (label !== undefined) bufferOf(tensor).label = label;
      return tensor;
    },
    dispatch(request) {
      const { key, reads, writes, workgroups } = request;
      const [x, y = 1, z = 1] = workgroups;
      if (Math.max(x, y, z) > MAX_WORKGROUPS_PER_SIDE) {
        throw new Error(
          `${key}: a grid of ${x} x ${y} x ${z} workgroups; at most ${MAX_WORKGROUPS_PER_SIDE} a side.`,
        );
      }
      const hasUniforms = request.uniforms.length > 0;
      const signature = { reads: reads.length, writes: writes.length, uniforms: hasUniforms };
      if (compiling) {
        compile(request, signature, compiling);
        return;
      }
      const pipeline = pipelineFor(request, signature);
      const ranges = [...reads, ...writes].map(rangeOf);
      for (const binding of writes) internals.tensorMap.get(tensorOf(binding).dataId).values = null;
      internals.ensureCommandEncoderReady();
      const pass = openPass();
      pass.setPipeline(pipeline);
      const group = groups.cached(signature, ranges, uniforms.buffer);
      pass.setBindGroup(0, group, hasUniforms ? [uniforms.add(request.uniforms)] : []);
      pass.dispatchWorkgroups(x, y, z);
      internals.dispatchCountInPass++;
      work += request.work ?? 0;
      if (uniforms.full || internals.dispatchCountInPass >= BATCH || work >= BATCH_WORK) submit();
    },
    write(tensor, firstByte, bytes) {
      flush();
      device.queue.writeBuffer(bufferOf(tensor), firstByte, bytes);
    },
    read(tensor, firstByte, target) {
      flush();
      return readBack(device, bufferOf(tensor), firstByte, target);
    },
    bufferOf(tensor) {
      const buffer = bufferOf(tensor);
      flush();
      return buffer;
    },
    flush,
    endStep() {
      flush();
      idle.endStep();
    },
    async compileAhead(body) {
      const pending = new Map<string, Promise<void>>();
      compiling = pending;
      tf.env().set('WEBGPU_ENGINE_COMPILE_ONLY', true);
      try {
        await body();
      } finally {
        compiling = null;
        tf.env().set('WEBGPU_ENGINE_COMPILE_ONLY', false);
      }
      await Promise.all([...pending.values(), internals.checkCompileCompletionAsync()]);
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
