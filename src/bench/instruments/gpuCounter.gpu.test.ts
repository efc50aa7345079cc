import { expect, test } from 'vitest';
import { gpuDispatcher } from '../../backend/dispatch.ts';
import { startBackend } from '../../backend/start.ts';
import * as tf from '../../backend/tf.ts';
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

test('GPU time is between nothing and the wall time, and grows with the work', async () => {
  const counter = installGpuCounter();
  await startBackend('webgpu');
  const gpu = gpuDispatcher(tf.backend());
  if (!counter?.canTime) return;
  const measure = async (body: () => Promise<unknown>): Promise<{ busy: number; wall: number }> => {
    counter.startTiming();
    const began = performance.now();
    await body();
    gpu.flush();
    await gpu.device.queue.onSubmittedWorkDone();
    const wall = (performance.now() - began) / 1000;
    return { busy: await counter.stopTiming(), wall };
  };
  const a = tf.ones([128, 128]) as tf.Tensor2D;
  const work = (times: number) => async () => {
    let product = a;
    for (let i = 0; i < times; i++) product = tf.mul(tf.matMul(product, a), 1 / 128);
    await product.data();
  };
  await work(1)();
  const busy = { short: Infinity, long: Infinity };
  // Something else may hold the machine up at any time: the least of several says what the work itself takes.
  for (let turn = 0; turn < 5; turn++) {
    for (const [name, times] of [
      ['short', 1],
      ['long', 8],
    ] as const) {
      const measured = await measure(work(times));
      expect(measured.busy).toBeGreaterThan(0);
      expect(measured.busy).toBeLessThanOrEqual(measured.wall);
      busy[name] = Math.min(busy[name], measured.busy);
    }
  }
  expect(busy.long).toBeGreaterThan(2 * busy.short);
  const idle = await measure(() => new Promise((resolve) => setTimeout(resolve, 30)));
  expect(idle.busy).toBeLessThan(0.1 * idle.wall);
});
