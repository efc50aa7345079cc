import { expect, test } from 'vitest';
import { gpuDispatcher, startBackend, tf } from '@rl-playground/engine/parts/tensors';
import { installGpuCounter, secondsOf } from './gpuCounter.ts';

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

test('passes', async () => {
  const counter = installGpuCounter();
  if (!counter) throw new Error('This browser has no WebGPU.');
  expect(installGpuCounter()).toBe(counter);
  const device = await openDevice();
  const kept = device.createBuffer({ size: 4096, usage: GPUBufferUsage.STORAGE });
  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code: SHADER }) },
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: kept } }],
  });
  const submit = (): void => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    for (let i = 0; i < 3; i++) pass.dispatchWorkgroups(16);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
  expect(counter.canTime).toBe(device.features.has('timestamp-query'));
  if (!counter.canTime) return;
  counter.startTiming();
  submit();
  expect(counter.timedPasses).toBe(1);
  expect(await counter.stopTiming()).toBeGreaterThan(0);
  submit();
  expect(counter.timedPasses).toBe(1);
  device.destroy();
});

test('the time of passes is the sum of their lengths', () => {
  expect(secondsOf(BigUint64Array.of(5n, 1_000_000_005n, 2_000_000_000n, 2_500_000_000n))).toBe(1.5);
  expect(secondsOf(BigUint64Array.of(7n, 3n, 0n, 250_000_000n))).toBe(0.25);
  expect(secondsOf(new BigUint64Array())).toBe(0);
});

test('what the backend submits is timed, pass by pass, and where nothing is submitted there is no time', async () => {
  const counter = installGpuCounter();
  await startBackend('webgpu');
  const gpu = gpuDispatcher(tf.backend());
  if (!counter?.canTime) return;
  const a = tf.ones([128, 128]) as tf.Tensor2D;
  const measure = async (products: number) => {
    counter.startTiming();
    let product = a;
    for (let i = 0; i < products; i++) product = tf.mul(tf.matMul(product, a), 1 / 128);
    if (products > 0) await product.data();
    gpu.flush();
    const seconds = await counter.stopTiming();
    return { passes: counter.timedPasses, seconds };
  };
  await measure(1);
  const one = await measure(1);
  expect(one.passes).toBeGreaterThan(0);
  const eight = await measure(8);
  expect(eight.passes).toBeGreaterThanOrEqual(one.passes);
  expect(await measure(0)).toEqual({ passes: 0, seconds: 0 });
});
