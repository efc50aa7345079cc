/**
 * Generators in Web Workers. Groups are dealt to the workers in turn; since a draw depends on its coordinates alone and
 * decoding on its row alone, the number of workers changes nothing but the time.
 */
import type { GeneratorModel } from './engine.ts';
import { GeneratorWorker } from './generatorWorker.ts';
import type { FromGenerator } from './protocol.ts';
import type { GenerateOptions, GeneratorPool, GroupRequest, GroupResult, SamplingSettings } from './types.ts';
import type { WeightPrecision } from './weightFormat.ts';
import { WeightPublisher } from './weightPublisher.ts';

export interface WorkerPoolOptions {
  readonly size: number;
  readonly backend: 'webgpu' | 'wasm';
  readonly wasmPath: string;
  readonly model: GeneratorModel;
  /** Of the weights that generators are sent and, on WebGPU, hold; f32 by default. */
  readonly precision?: WeightPrecision;
}

export function createWorkerPool({
  size,
  backend,
  wasmPath,
  model,
  precision = 'f32',
}: WorkerPoolOptions): GeneratorPool {
  const workers = Array.from(
    { length: size },
    () => new GeneratorWorker({ type: 'start', backend, wasmPath, model, precision }),
  );
  const publisher = new WeightPublisher(model.config, precision, workers, globalThis.crossOriginIsolated);

  return {
    size,
    setWeights: (version, packed) => publisher.publish(version, packed),
    generate: (requests, sampling, options = {}) => generateOn(workers, requests, sampling, options),
    dispose() {
      for (const worker of workers) worker.dispose();
    },
  };
}

async function generateOn(
  workers: readonly GeneratorWorker[],
  requests: readonly GroupRequest[],
  sampling: SamplingSettings,
  { signal, onProgress }: GenerateOptions,
): Promise<GroupResult[]> {
  signal?.throwIfAborted();
  const total = requests.reduce((sum, request) => sum + request.samples, 0);
  const progress = workers.map(() => ({ tokens: 0, finished: 0 }));
  const shares = workers.map((_, w) => requests.filter((_request, i) => i % workers.length === w));
  const results = await Promise.all(
    workers.map((worker, w) => {
      const share = shares[w] ?? [];
      if (share.length === 0) return Promise.resolve<readonly GroupResult[]>([]);
      return worker.generate(
        share,
        sampling,
        signal,
        (message: Extract<FromGenerator, { type: 'progress' }>) => {
          progress[w] = message;
          const sum = (key: 'tokens' | 'finished'): number =>
            progress.reduce((all, part) => all + part[key], 0);
          onProgress?.({ tokens: sum('tokens'), finished: sum('finished'), total });
        },
      );
    }),
  );
  signal?.throwIfAborted();
  return requests.map((_, i) => results[i % workers.length]?.[Math.floor(i / workers.length)] as GroupResult);
}
