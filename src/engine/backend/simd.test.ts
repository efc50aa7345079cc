import { beforeAll, expect, test } from 'vitest';
import { wasmPathInNode } from '../testing/wasm.ts';
import { hostMemory } from './host.ts';
import { startBackend } from './start.ts';
import * as tf from './tf.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

test('a kernel writes the part of a tensor that it is given and nothing else', async () => {
  const memory = hostMemory(tf.backend());
  const x = tf.zeros([20]);
  memory.call('fill', 3, 10, memory.pointer(x, 2), 7.5);
  const expected = Array.from({ length: 20 }, (_, i) => (i >= 5 && i < 12 ? 7.5 : 0));
  expect([...(await x.data())]).toEqual(expected);
});

test('a kernel shared out in parts covers every item once', async () => {
  const memory = hostMemory(tf.backend());
  const x = tf.zeros([1001]);
  memory.parallel('fill', 1001, 10, memory.pointer(x), 2);
  expect([...(await x.data())]).toEqual(Array.from({ length: 1001 }, () => 2));
});

test('an unknown kernel and a wrong number of arguments are refused by name', () => {
  const memory = hostMemory(tf.backend());
  expect(() => memory.call('fil', 1)).toThrow('no SIMD kernel named fil');
  expect(() => memory.call('fill', 1)).toThrow('fill takes 4 arguments and was given 1');
  expect(() => memory.parallel('fill', 10, 1, 2)).toThrow('fill takes 4 arguments and was given 3');
});

test('scratch memory is kept, and grows without touching tensors', async () => {
  const memory = hostMemory(tf.backend());
  const small = memory.scratch(10);
  expect(memory.scratch(5)).toBe(small);
  const x = tf.tensor1d([1, 2, 3]);
  const large = memory.scratch(5_000_000);
  memory.call('fill', 0, 5_000_000, large, 9);
  expect([...(await x.data())]).toEqual([1, 2, 3]);
});
