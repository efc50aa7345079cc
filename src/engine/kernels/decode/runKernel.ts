/** Runs one decoding kernel on buffers made for it. */
import type { DecodeKernel } from './program.ts';

export type KernelData = Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

function upload(device: GPUDevice, data: KernelData, usage: GPUBufferUsageFlags): GPUBuffer {
  const buffer = device.createBuffer({
    size: Math.max(16, Math.ceil(data.byteLength / 16) * 16),
    usage: usage | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}

/** Binds `data` in order, runs the kernel for `rows` rows and returns the final contents of the buffers. */
export async function runKernel(
  device: GPUDevice,
  kernel: DecodeKernel,
  data: readonly KernelData[],
  rows: number,
): Promise<ArrayBuffer[]> {
  const { bindings, code, workgroups } = kernel;
  const buffers = data.map((values, i) =>
    upload(device, values, bindings[i] === 'uniform' ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE),
  );
  const types = { read: 'read-only-storage', write: 'storage', uniform: 'uniform' } as const;
  const layout = device.createBindGroupLayout({
    entries: bindings.map((kind, binding) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: types[kind] },
    })),
  });
  const pipeline = await device.createComputePipelineAsync({
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout,
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    }),
  );
  pass.dispatchWorkgroups(...workgroups(rows));
  pass.end();
  const readbacks = buffers.map((buffer) => {
    const readback = device.createBuffer({
      size: buffer.size,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    encoder.copyBufferToBuffer(buffer, 0, readback, 0, buffer.size);
    return readback;
  });
  device.queue.submit([encoder.finish()]);
  const results = await Promise.all(
    readbacks.map(async (readback, i) => {
      await readback.mapAsync(GPUMapMode.READ);
      return readback.getMappedRange().slice(0, data[i]?.byteLength);
    }),
  );
  for (const buffer of [...buffers, ...readbacks]) buffer.destroy();
  return results;
}

/** A list of `rows` rows, each in the slot of its own number; `change` sets the other fields of a row. */
export function rowList(
  rows: number,
  change: (
    row: number,
  ) => Partial<Record<'token' | 'position' | 'promptPages' | 'promptLength' | 'ownPages', number>>,
  capacity = rows,
): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(4 + 8 * capacity);
  words[0] = rows;
  words[1] = 1;
  for (let row = 0; row < rows; row++) {
    const { token = 0, position = 0, promptPages = 0, promptLength = 0, ownPages = 0 } = change(row);
    words.set([row, token, position, promptPages, promptLength, ownPages], 4 + 8 * row);
  }
  return words;
}
