/**
 * Bindings of fewer than 16 bytes. wgpu (Firefox, Deno) compares the bindings of a pipeline whose layout it derived with the sizes that a
 * shader needs in another order than theirs, and refuses one number beside vectors: "bound with size 4 where the shader expects 16" (seen
 * in Deno 2.9.6, on programs of tfjs). A buffer of 16 bytes satisfies any order.
 */

/** Bytes of a vec4<f32>, the largest element that a shader binds by itself. */
const LEAST = 16;

/** From now on the device's bindings, and buffers for them, are of 16 bytes at least; `size` stays what was asked for. */
export function widenSmallBuffers(device: GPUDevice): void {
  const widened = new WeakSet<GPUBuffer>();
  const createBuffer = device.createBuffer.bind(device);
  const createBindGroup = device.createBindGroup.bind(device);

  device.createBuffer = (descriptor) => {
    const { size, usage } = descriptor;
    // One that is mapped to be read is not bound, and is read whole.
    const isBound = (usage & (GPUBufferUsage.STORAGE | GPUBufferUsage.UNIFORM)) !== 0;
    if (size >= LEAST || !isBound) return createBuffer(descriptor);
    const buffer = createBuffer({ ...descriptor, size: LEAST });
    // tfjs files its buffers by the size that they say.
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
