/** What an engine in the page has around it, the run's as well as one of the user's own: files beside the page, generators in Web Workers. */
import { createWorkerPool } from '../../rollout/workerPool.ts';
import type { SessionEnvironment } from './engineHost.ts';

/** Of a file that is served beside the page. */
export const address = (path: string): string =>
  new URL(`${import.meta.env.BASE_URL}${path}`, document.baseURI).href;

export function pageEnvironment(backend: 'webgpu' | 'wasm'): SessionEnvironment {
  return {
    now: () => performance.now(),
    createPool: (model, { numGenerators, generatorPrecision }) =>
      createWorkerPool({
        size: numGenerators,
        precision: generatorPrecision,
        backend,
        wasmPath: address('wasm/'),
        model,
      }),
  };
}
