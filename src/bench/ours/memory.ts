/** What is held on the device after few and after many steps of varied lengths. */
import * as tf from '../../backend/tf.ts';
import { installGpuCounter } from '../instruments/gpuCounter.ts';
import { uniformAt } from '../../rollout/sampler.ts';
import type { Environment } from '../participants/environment.ts';
import type { HostModel } from '../participants/model.ts';
import { secondsSince } from '../participants/timing.ts';
import type { MemoryWorkload, Prepared } from '../types.ts';
import { trainingRun } from './train.ts';
import { localGenerator } from './rollout.ts';

const MOST_ROLLOUTS = 8;
const LONGEST = 48;

/** A whole number from 1 to `most`, decided by the step and what it is for. */
const varied = (step: number, purpose: number, most: number): number =>
  1 + Math.floor(uniformAt(3, step, purpose, 0, 0) * most);

/** The sample has bytes after the first and the last of the steps looked at. One run takes minutes on a slow device. */
export async function prepareMemory(
  { early, late }: MemoryWorkload,
  host: HostModel,
  { backend }: Environment,
): Promise<Prepared> {
  const trainer = trainingRun(host, LONGEST);
  const generator = await localGenerator(host, 2 * LONGEST);
  const bytes = (): number => (backend === 'webgpu' ? (installGpuCounter()?.bytes ?? 0) : wasmBytes());
  const step = async (index: number): Promise<void> => {
    const rollouts = varied(index, 1, MOST_ROLLOUTS);
    await generator.generate(rollouts, varied(index, 2, LONGEST), varied(index, 3, LONGEST));
    await trainer.step({ rollouts, length: 1 + varied(index, 4, LONGEST - 1) });
  };
  return {
    check: null,
    async run() {
      const began = performance.now();
      let first = 0;
      for (let index = 1; index <= late; index++) {
        await step(index);
        if (index === early) first = bytes();
      }
      return { seconds: secondsSince(began), early: first, late: bytes() };
    },
    dispose() {
      generator.dispose();
      trainer.dispose();
    },
  };
}

/** The size of tfjs' heap, which never shrinks. */
function wasmBytes(): number {
  const backend: object = tf.backend();
  const wasm: unknown = Reflect.get(backend, 'wasm');
  const heap: unknown = typeof wasm === 'object' && wasm !== null ? Reflect.get(wasm, 'HEAPU8') : null;
  return heap instanceof Uint8Array ? heap.byteLength : 0;
}
