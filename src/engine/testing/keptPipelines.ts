/**
 * Keeps pipelines as long as their device. A browser returns the same pipeline again while an equal one lives. Tests drop their engines,
 * and a software adapter would compile for seconds what it has compiled for the previous test.
 */
interface Makers {
  createComputePipeline: (this: GPUDevice, what: GPUComputePipelineDescriptor) => GPUComputePipeline;
  createComputePipelineAsync: (
    this: GPUDevice,
    what: GPUComputePipelineDescriptor,
  ) => Promise<GPUComputePipeline>;
}

const kept = new WeakMap<GPUDevice, Set<GPUComputePipeline>>();

function keep(device: GPUDevice, pipeline: GPUComputePipeline): GPUComputePipeline {
  kept.set(device, (kept.get(device) ?? new Set()).add(pipeline));
  return pipeline;
}

if ('GPUDevice' in globalThis) {
  const makers: Makers = GPUDevice.prototype;
  const { createComputePipeline, createComputePipelineAsync } = makers;
  makers.createComputePipeline = function (what) {
    return keep(this, createComputePipeline.call(this, what));
  };
  makers.createComputePipelineAsync = async function (what) {
    return keep(this, await createComputePipelineAsync.call(this, what));
  };
}
