/** Counts what is asked of a device: dispatches, with the buffers that each binds, submissions, and waits of the host for results. */

export interface GpuCalls {
  /** The bytes that each dispatch binds, by buffer, in the order of recording. */
  readonly dispatches: ReadonlyMap<GPUBuffer, number>[];
  submissions: number;
  /** The times that the host began to wait for results; reads that are under way together are one wait. */
  waits: number;
}

/** Starts to count. A buffer whose reads are to be counted must be created later. `restore` ends it. */
export function watchGpuCalls(device: GPUDevice): GpuCalls & { restore(): void } {
  const calls: GpuCalls = { dispatches: [], submissions: 0, waits: 0 };
  const bound = new WeakMap<GPUBindGroup, Map<GPUBuffer, number>>();
  let mapping = 0;
  const { queue } = device;
  const createBuffer = device.createBuffer.bind(device);
  const createBindGroup = device.createBindGroup.bind(device);
  const createCommandEncoder = device.createCommandEncoder.bind(device);
  const submit = queue.submit.bind(queue);

  device.createBuffer = (descriptor) => {
    const buffer = createBuffer(descriptor);
    const mapAsync = buffer.mapAsync.bind(buffer);
    buffer.mapAsync = async (...range) => {
      if (mapping++ === 0) calls.waits++;
      await mapAsync(...range).finally(() => mapping--);
      return undefined;
    };
    return buffer;
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
      Object.assign(device, { createBuffer, createBindGroup, createCommandEncoder });
      queue.submit = submit;
    },
  });
}
