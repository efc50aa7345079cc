/**
 * Generators in Web Workers. Groups are dealt to the workers in turn; since a draw depends on its coordinates alone and
 * decoding on its row alone, the number of workers changes nothing but the time.
 */
import type { FromGenerator, StartMessage } from './protocol.ts';
import type { GeneratorModel } from './generator.ts';
import { GeneratorWorker } from './generatorWorker.ts';
import type { GenerateOptions, GeneratorPool, GroupRequest, GroupResult, SamplingSettings } from './types.ts';

export interface WorkerPoolOptions {
  readonly size: number;
  readonly backend: 'webgpu' | 'wasm';
  readonly wasmPath: string;
  readonly model: GeneratorModel;
}

export function createWorkerPool({ size, backend, wasmPath, model }: WorkerPoolOptions): GeneratorPool {
  const start: StartMessage = { type: 'start', backend, wasmPath, model };
  const workers = Array.from({ length: size }, () => new GeneratorWorker(start));

  return {
    size,
    async setWeights(version, packed) {
      const shared = shareable(packed);
      await Promise.all(workers.map((worker) => worker.setWeights(version, shared)));
    },
    generate: (requests, sampling, options = {}) => generateOn(workers, requests, sampling, options),
    dispose() {
      for (const worker of workers) worker.dispose();
    },
  };
}

/** One copy that every worker may read, where the page is isolated; elsewhere each message clones the array. */
function shareable(packed: Float32Array): Float32Array {
  if (!globalThis.crossOriginIsolated) return packed;
  const shared = new Float32Array(new SharedArrayBuffer(packed.byteLength));
  shared.set(packed);
  return shared;
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
