/** Counts what is asked of a device: dispatches, with the buffers that each binds, submissions, and waits of the host for results. */

export interface GpuCalls {
  /** The bytes that each dispatch binds, by buffer, in the order of recording. */
  readonly dispatches: ReadonlyMap<GPUBuffer, number>[];
  submissions: number;
  /** The times that the host began to wait for results; reads that are under way together are one wait. */
  waits: number;
}

interface Mapping {
  mapAsync: (this: GPUBuffer, ...range: Parameters<GPUBuffer['mapAsync']>) => Promise<undefined>;
}

/** Starts to count. Waits are those for buffers of any device, because buffers that were made before are used again. `restore` ends it. */
export function watchGpuCalls(device: GPUDevice): GpuCalls & { restore(): void } {
  const calls: GpuCalls = { dispatches: [], submissions: 0, waits: 0 };
  const bound = new WeakMap<GPUBindGroup, Map<GPUBuffer, number>>();
  let mapping = 0;
  const { queue } = device;
  const createBindGroup = device.createBindGroup.bind(device);
  const createCommandEncoder = device.createCommandEncoder.bind(device);
  const submit = queue.submit.bind(queue);

  const buffers: Mapping = GPUBuffer.prototype;
  const { mapAsync } = buffers;
  buffers.mapAsync = async function (...range) {
    if (mapping++ === 0) calls.waits++;
    await mapAsync.apply(this, range).finally(() => mapping--);
    return undefined;
  };
  device.createBindGroup = (descriptor) => {
    const group = createBindGroup(descriptor);
    const bytes = new Map<GPUBuffer, number>();
    for (const { resource } of descriptor.entries) {
      if (!('buffer' in resource)) continue;
      const { buffer, offset = 0, size = buffer.size - offset } = resource;
      bytes.set(buffer, (bytes.get(buffer) ?? 0) + size);
    }
    bound.set(group, bytes);
    return group;
  };
  device.createCommandEncoder = (descriptor) => {
    const encoder = createCommandEncoder(descriptor);
    const beginComputePass = encoder.beginComputePass.bind(encoder);
    encoder.beginComputePass = (what) => {
      const pass = beginComputePass(what);
      let group: GPUBindGroup | null = null;
      const setBindGroup = pass.setBindGroup.bind(pass) as (...given: unknown[]) => undefined;
      const dispatch = pass.dispatchWorkgroups.bind(pass);
      pass.setBindGroup = (index: number, given: GPUBindGroup | null, ...offsets: unknown[]) => {
        group = given;
        return setBindGroup(index, given, ...offsets);
      };
      pass.dispatchWorkgroups = (...grid) => {
        calls.dispatches.push((group && bound.get(group)) ?? new Map());
        return dispatch(...grid);
      };
      return pass;
    };
    return encoder;
  };
  queue.submit = (buffers) => {
    calls.submissions++;
    return submit(buffers);
  };
  return Object.assign(calls, {
    restore() {
      buffers.mapAsync = mapAsync;
      Object.assign(device, { createBindGroup, createCommandEncoder });
      queue.submit = submit;
    },
  });
}
