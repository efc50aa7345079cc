/** Raw dispatch into tfjs' command stream: parts of tensors, order, recycling, compilation, memory. */
import { expect, test } from 'vitest';
import { gpuDispatcher, shaderHeader, u32, f32, type Binding } from './dispatch.ts';
import { endMemoryStep, gpuBytes } from './memory.ts';
import { MAPPED_BYTES } from './readBack.ts';
import { startBackend } from './start.ts';
import * as tf from './tf.ts';
import { failOnDeviceProblems } from '../testing/gpu.ts';

await startBackend('webgpu');
const gpu = gpuDispatcher(tf.backend());

failOnDeviceProblems();

const ADD_CODE = /* wgsl */ `${shaderHeader({
  reads: ['x: f32'],
  writes: ['y: f32'],
  uniforms: ['count: u32', 'factor: f32'],
})}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < params.count) { y[id.x] += params.factor * x[id.x]; }
}`;

/** y += factor · x over `count` elements. */
function addScaled(y: Binding, x: Binding, factor: number, count: number, key = 'test-add-scaled'): void {
  gpu.dispatch({
    key,
    code: () => ADD_CODE,
    reads: [x],
    writes: [y],
    uniforms: [u32(count), f32(factor)],
    workgroups: [Math.ceil(count / 64)],
  });
}

test('reads and writes parts of tensors and leaves what is around them', async () => {
  const x = tf.range(0, 256);
  const y = tf.ones([320]);
  addScaled({ tensor: y, offset: 128, length: 70 }, { tensor: x, offset: 64, length: 70 }, 2, 70);
  const values = await y.data();
  const expected = Array.from({ length: 320 }, (_, i) => (i >= 128 && i < 198 ? 1 + 2 * (i - 64) : 1));
  expect([...values]).toEqual(expected);
});

test('a part that begins between two places of alignment is refused', () => {
  const [x, y] = [tf.ones([256]), tf.ones([256])];
  const part = { tensor: x, offset: 30, length: 64 };
  expect(() => addScaled(y, part, 1, 64)).toThrow('begins at 30; it must be a multiple of 64');
});

test('a write in place is seen by the next read, before and after one', async () => {
  const x = tf.ones([8]);
  const y = tf.zeros([8]);
  addScaled(y, x, 1, 8);
  expect([...(await y.data())]).toEqual(Array(8).fill(1));
  addScaled(y, x, 0.5, 8);
  expect([...(await y.data())]).toEqual(Array(8).fill(1.5));
});

test('hundreds of dispatches between ops of tfjs keep their order and their own uniforms', async () => {
  const x = tf.ones([4]);
  let y: tf.Tensor = tf.zeros([4]);
  let expected = 0;
  for (let i = 1; i <= 300; i++) {
    addScaled(y, x, i, 4);
    expected += i;
    if (i % 7 === 0) {
      y = tf.mul(y, 0.5);
      expected *= 0.5;
    }
  }
  expect((await y.data())[3]).toBeCloseTo(expected, 2);
});

test('a buffer freed within a batch serves the next tensor of its size, and no result is lost', async () => {
  const size = 4093;
  const x = tf.ones([size]);
  const sum = tf.zeros([size]);
  const before = gpuBytes() ?? NaN;
  for (let i = 1; i <= 200; i++) {
    const part = tf.fill([size], i);
    const copy = gpu.allocate([size], 'float32');
    const tensor = tf.engine().makeTensorFromTensorInfo(copy);
    addScaled(tensor, x, 0, size);
    addScaled(sum, part, 1, size);
    tf.dispose([part, tensor]);
  }
  expect((gpuBytes() ?? NaN) - before).toBeLessThan(100 * 4 * size);
  expect([...new Set(await sum.data())]).toEqual([(200 * 201) / 2]);
});

test('buffers of sizes that do not come back are given up', async () => {
  const use = async (size: number): Promise<void> => {
    const x = tf.ones([size]);
    const y = tf.square(x);
    await y.data();
    tf.dispose([x, y]);
  };
  await use(2_000_000);
  const first = gpuBytes() ?? NaN;
  for (let round = 1; round < 6; round++) await use(2_000_000 - 4 * round);
  expect(gpuBytes()).toBeLessThan(1.4 * first);
});

test('after steps of sizes that vary only what both of the last two used is held', async () => {
  const step = async (size: number): Promise<number> => {
    const x = tf.ones([size]);
    const y = tf.square(x);
    await y.data();
    tf.dispose([x, y]);
    endMemoryStep();
    return gpuBytes() ?? NaN;
  };
  await step(1000);
  const held = await step(2000);
  for (const size of [3000, 70_000, 500, 1_000_000]) expect(await step(size)).toBe(held);
  await step(5000);
  expect(await step(5000)).toBeGreaterThan(held);
  expect(await step(5000)).toBe(await step(5000));
});

test('of one size no more is held than both of the last two steps used at once', async () => {
  const step = async (count: number): Promise<number> => {
    const x = tf.ones([7777]);
    const all = Array.from({ length: count }, () => tf.square(x));
    for (const squares of all) await squares.data();
    tf.dispose([x, ...all]);
    endMemoryStep();
    return gpuBytes() ?? NaN;
  };
  await step(1);
  const few = await step(1);
  await step(9);
  const many = await step(9);
  expect(many).toBeGreaterThanOrEqual(few + 8 * 4 * 7777);
  expect(await step(1)).toBe(few);
});

test('compiles ahead without running anything', async () => {
  const x = tf.ones([8]);
  const y = tf.zeros([8]);
  await gpu.compileAhead(() => {
    addScaled(y, x, 1, 8, 'test-ahead');
    tf.cosh(x);
  });
  expect([...(await y.data())]).toEqual(Array(8).fill(0));
  addScaled(y, x, 1, 8, 'test-ahead');
  expect([...(await y.data())]).toEqual(Array(8).fill(1));
  expect((await tf.cosh(x).data())[0]).toBeCloseTo(Math.cosh(1), 5);
});

test('more than is mapped at a time comes as it was when it was asked for', async () => {
  const length = MAPPED_BYTES / 4 + 1000;
  const x = tf.range(0, length);
  const [before, after] = [new Float32Array(length - 64), new Float32Array(length)];
  const reading = gpu.read(x, 256, new Uint8Array(before.buffer));
  gpu.write(x, 0, new Uint8Array(4 * length));
  await reading;
  await gpu.read(x, 0, new Uint8Array(after.buffer));
  // Compared as arrays, millions of numbers take a minute.
  expect(before.findIndex((value, i) => value !== 64 + i)).toBe(-1);
  expect(after.findIndex((value) => value !== 0)).toBe(-1);
  x.dispose();
});
