/**
 * Generators in Web Workers. Groups are dealt to the workers in turn. A draw depends on its coordinates alone and decoding on its row
 * alone, so the number of workers changes only the time.
 */
import { type WasmPath, openLimits } from '../backend/start.ts';
import type { Deadline, Timers } from '@rl-playground/base/deadline';
import { sharesMemory } from '../backend/sharedMemory.ts';
import { adapterLength } from '../model/lora.ts';
import { checkGenerator, dealRequests } from './requests.ts';
import type { GeneratorModel } from './decoding/decoder.ts';
import { GeneratorWorker } from './generatorWorker.ts';
import type { BaseTakingPool } from './decoding/types.ts';
import type { WeightPrecision } from './decoding/weights.ts';
import { WeightPublisher } from './weightPublisher.ts';

export interface WorkerPoolOptions {
  readonly size: number;
  readonly backend: 'webgpu' | 'wasm';
  readonly wasmPath: WasmPath;
  /** True if generators on wasm may round a product and the sum that it goes into once; true by default. */
  readonly fusedProducts?: boolean;
  readonly model: GeneratorModel;
  /** The precision of the weights that generators are sent and, on WebGPU, hold; f32 by default, and always under LoRA when they are sent. */
  readonly precision?: WeightPrecision;
  /** The longest silence of a worker that has work, after which another one replaces it. */
  readonly deadline?: Deadline;
  readonly timers?: Timers;
}

/** @throws LoraError if such an adapter is impossible. */
export function createWorkerPool({
  size,
  backend,
  wasmPath,
  fusedProducts,
  model,
  precision = 'f32',
  deadline,
  timers,
}: WorkerPoolOptions): BaseTakingPool {
  // An impossible adapter is refused here and not by each worker.
  if (model.lora) adapterLength(model.config, model.lora);
  // The trainer's thread sleeps while most schedules sample, so the generators have all cores.
  const threads = Math.max(1, Math.floor(globalThis.navigator.hardwareConcurrency / size));
  const limits = openLimits();
  const workers = Array.from(
    { length: size },
    () =>
      new GeneratorWorker(
        { type: 'start', backend, wasmPath, fusedProducts, model, precision, limits, threads },
        deadline,
        timers,
      ),
  );
  const publisher = new WeightPublisher(model, precision, workers, sharesMemory(), timers);

  const generateOn: BaseTakingPool['generateOn'] = async (generator, requests, sampling, options = {}) => {
    checkGenerator(generator, size);
    return (workers[generator] as GeneratorWorker).generate(requests, sampling, options);
  };
  return {
    size,
    get busySeconds() {
      return workers.reduce((sum, { busySeconds }) => sum + busySeconds, 0);
    },
    get handedOverBytes() {
      return publisher.handedOverBytes;
    },
    setWeights: (version, packed) => publisher.publish(version, packed),
    async setBase(version, base) {
      await Promise.all(workers.map((worker) => worker.setBase(version, base)));
    },
    setAdapter: (version, factors) => publisher.publishAdapter(version, factors),
    generate: (requests, sampling, options = {}) =>
      dealRequests({ size, generateOn }, requests, sampling, options),
    generateOn,
    dispose() {
      for (const worker of workers) worker.dispose();
    },
  };
}
