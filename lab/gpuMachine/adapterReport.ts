/** Functions that look at a GPU adapter. They run in a page, which is sent their text, or in Node on Dawn: each holds all that it needs. */

export interface AdapterReport {
  /** The fields of the adapter’s description that are there. */
  readonly info: Readonly<Record<string, unknown>>;
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  /** The features of the shader language. */
  readonly language: readonly string[];
  /** The sizes that a kernel found its subgroups to have; empty if the adapter has none. */
  readonly subgroupSizes: readonly number[];
}

/** Reads the description of the adapter, and asks a kernel for the size of its subgroups. Resolves to null without an adapter. */
export async function reportAdapter(): Promise<AdapterReport | null> {
  const gpu = (globalThis.navigator as Navigator | undefined)?.gpu;
  const ask = async () => (await gpu?.requestAdapter({ powerPreference: 'high-performance' })) ?? null;
  // The first request in Chrome on Linux may find none while its GPU process restarts for Vulkan.
  const adapter = (await ask()) ?? (await ask());
  if (!gpu || !adapter) return null;
  const fieldsOf = (owner: object | undefined): [string, unknown][] => {
    const found: [string, unknown][] = [];
    for (const name in owner ?? {}) {
      const value: unknown = Reflect.get(owner ?? {}, name);
      if (typeof value !== 'function') found.push([name, value]);
    }
    return found;
  };
  const subgroupSizes = async (): Promise<number[]> => {
    if (!adapter.features.has('subgroups')) return [];
    const device = await adapter.requestDevice({ requiredFeatures: ['subgroups'] });
    const lanes = 256;
    const code = `enable subgroups;
      @group(0) @binding(0) var<storage, read_write> sizes: array<u32>;
      @compute @workgroup_size(${lanes}) fn main(@builtin(subgroup_size) size: u32, @builtin(local_invocation_index) lane: u32) {
        sizes[lane] = size;
      }`;
    const module = device.createShaderModule({ code });
    const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
    const size = 4 * lanes;
    const buffer = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
    const copy = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    const entries = [{ binding: 0, resource: { buffer } }];
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(1);
    pass.end();
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, size);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const found = [...new Set(new Uint32Array(copy.getMappedRange()))];
    device.destroy();
    return found;
  };
  return {
    info: Object.fromEntries(fieldsOf(adapter.info)),
    features: [...adapter.features].sort(),
    limits: Object.fromEntries(
      fieldsOf(adapter.limits).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
    ),
    language: [...gpu.wgslLanguageFeatures].sort(),
    subgroupSizes: await subgroupSizes(),
  };
}

/**
 * Copies a buffer of `bytes` on the GPU again and again. Resolves to the bytes per second that the fastest of three rounds read and
 * wrote together; null without an adapter.
 */
export async function copyRate({
  bytes,
  copies,
}: {
  readonly bytes: number;
  readonly copies: number;
}): Promise<number | null> {
  const gpu = (globalThis.navigator as Navigator | undefined)?.gpu;
  const ask = async () => (await gpu?.requestAdapter({ powerPreference: 'high-performance' })) ?? null;
  const adapter = (await ask()) ?? (await ask());
  if (!adapter) return null;
  const size = Math.min(bytes, adapter.limits.maxBufferSize);
  const device = await adapter.requestDevice({ requiredLimits: { maxBufferSize: size } });
  const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const [from, to] = [device.createBuffer({ size, usage }), device.createBuffer({ size, usage })];
  const round = async (): Promise<number> => {
    const encoder = device.createCommandEncoder();
    for (let i = 0; i < copies; i++) encoder.copyBufferToBuffer(from, 0, to, 0, size);
    const began = performance.now();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return (performance.now() - began) / 1000;
  };
  await round();
  const seconds = Math.min(await round(), await round(), await round());
  device.destroy();
  return (2 * size * copies) / seconds;
}
