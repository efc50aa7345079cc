/**
 * Widens bindings of fewer than 16 bytes. wgpu (Firefox, Deno) derives the layout of a pipeline and compares its bindings with the sizes
 * that the shader needs, but in another order than theirs. It then refuses one number beside vectors: "bound with size 4 where the shader
 * expects 16" (seen in Deno 2.9.6, on programs of tfjs). A buffer of 16 bytes satisfies any order.
 */

/** Bytes of a vec4<f32>, the largest element that a shader binds by itself. */
const LEAST = 16;

/** Gives the device's bindings, and buffers for them, at least 16 bytes from now on. `size` remains the size that was asked for. */
export function widenSmallBuffers(device: GPUDevice): void {
  const widened = new WeakSet<GPUBuffer>();
  const createBuffer = device.createBuffer.bind(device);
  const createBindGroup = device.createBindGroup.bind(device);

  device.createBuffer = (descriptor) => {
    const { size, usage } = descriptor;
    // A buffer that is mapped for reading is not bound, and is read whole.
    const isBound = (usage & (GPUBufferUsage.STORAGE | GPUBufferUsage.UNIFORM)) !== 0;
    if (size >= LEAST || !isBound) return createBuffer(descriptor);
    const buffer = createBuffer({ ...descriptor, size: LEAST });
    // tfjs sorts its buffers by their `size`.
    Object.defineProperty(buffer, 'size', { value: size });
    widened.add(buffer);
    return buffer;
  };

  const wide = (resource: GPUBindingResource): GPUBindingResource => {
    if (!('buffer' in resource) || resource.size === undefined || resource.size >= LEAST) return resource;
    const { buffer, offset = 0 } = resource;
    const room = widened.has(buffer) ? LEAST : buffer.size;
    return offset + LEAST <= room ? { ...resource, size: LEAST } : resource;
  };
  device.createBindGroup = (descriptor) =>
    createBindGroup({
      ...descriptor,
      entries: Array.from(descriptor.entries, (entry) => ({ ...entry, resource: wide(entry.resource) })),
    });
}
