/**
 * Opens the devices of software adapters with no more than WebGPU promises everywhere, which is what phones have: bindings of 128 MiB,
 * buffers of 256 MiB, 16 kB of workgroup memory, 8 storage buffers a stage and 256 invocations. So every kernel is tested within these
 * limits, and none twice. Hardware keeps its own limits, by which the page chooses its kernels.
 */
import { adapterFacts } from '../backend/adapterFacts.ts';

interface Opener {
  requestDevice: (this: GPUAdapter, wanted?: GPUDeviceDescriptor) => Promise<GPUDevice>;
}

if ('GPUAdapter' in globalThis) {
  const opener: Opener = GPUAdapter.prototype;
  const { requestDevice } = opener;
  opener.requestDevice = function (wanted) {
    const { software } = adapterFacts(this.info);
    return requestDevice.call(this, software ? { ...wanted, requiredLimits: {} } : wanted);
  };
}
