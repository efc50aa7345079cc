import { expect, test } from 'vitest';
import { installGpuCounter } from './gpuCounter.ts';

const SHADER = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var x = f32(id.x);
  for (var i = 0; i < 20000; i++) { x = fma(x, 0.999, 0.001); }
  data[id.x] = x;
}`;

async function openDevice(): Promise<GPUDevice> {
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error('This browser has no adapter.');
  return adapter.requestDevice({
    requiredFeatures: adapter.features.has('timestamp-query') ? ['timestamp-query'] : [],
  });
}

test('bytes, dispatches and time in passes', async () => {
  const counter = installGpuCounter();
  if (!counter) throw new Error('This browser has no WebGPU.');
  expect(installGpuCounter()).toBe(counter);
  const device = await openDevice();
  const before = counter.bytes;
  const kept = device.createBuffer({ size: 4096, usage: GPUBufferUsage.STORAGE });
  const freed = device.createBuffer({ size: 1 << 20, usage: GPUBufferUsage.STORAGE });
  expect(counter.bytes - before).toBe(4096 + (1 << 20));
  freed.destroy();
  freed.destroy();
  expect(counter.bytes - before).toBe(4096);

  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code: SHADER }) },
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: kept } }],
  });
  const dispatched = counter.dispatches;
  const submit = (): void => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    for (let i = 0; i < 3; i++) pass.dispatchWorkgroups(16);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
  submit();
  await device.queue.onSubmittedWorkDone();
  expect(counter.dispatches - dispatched).toBe(3);
  expect(counter.canTime).toBe(device.features.has('timestamp-query'));
  if (!counter.canTime) return;
  counter.startTiming();
  const began = performance.now();
  submit();
  await device.queue.onSubmittedWorkDone();
  const wall = (performance.now() - began) / 1000;
  const inPasses = await counter.stopTiming();
  expect(inPasses).toBeGreaterThan(0);
  expect(inPasses).toBeLessThanOrEqual(wall);
  device.destroy();
});
