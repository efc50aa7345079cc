/** The engine API in a page. Everything here and in `api.ts` is documented in docs/engine.md and kept stable. */
import { backendKind } from './backend/kernelRegistry.ts';
import { isStarted, startBackend } from './backend/start.ts';
import { createEngine as createEngineOf, type OpenEngine } from './calls/createEngine.ts';
import { nameOfPlace, type OpenOptions } from './calls/openOptions.ts';
import type { EngineEnvironment } from './calls/host.ts';
import { loadModel } from './hub/load.ts';
import { filesAtUrl } from './hub/sources.ts';
import type { LoadedModel } from './hub/types.ts';
import { createLocalPool } from './rollout/localPool.ts';
import { createWorkerPool } from './rollout/workerPool.ts';
import { wasmFiles } from './wasmFiles.ts';

export * from './api.ts';

/**
 * Opens an engine, which resolves when its generators hold the model's weights, as version 0. It starts a backend if none was started
 * (`startBackend`), and loads the model if it is given by its address. Dispose of it after use.
 *
 * @throws Error if an option or a setting does not exist or has a value that is not allowed, if the model can't be loaded or has fewer
 * positions than asked for, and if that renderer can't ask the model.
 */
export async function createEngine({ model, ...options }: OpenOptions): Promise<OpenEngine> {
  if (!isStarted()) await startBackend(null, { wasmPath: wasmFiles() });
  return createEngineOf({
    createPool,
    ...options,
    model: typeof model === 'string' ? await modelAt(model) : model,
  });
}

/** Makes generators where the settings put them: in Web Workers, or one on the page. */
const createPool: EngineEnvironment['createPool'] = (model, settings) =>
  settings.generatorPlacement === 'page'
    ? createLocalPool(model, settings.generatorPrecision)
    : createWorkerPool({
        model,
        size: settings.numGenerators,
        precision: settings.generatorPrecision,
        backend: backendKind(),
        wasmPath: wasmFiles(),
      });

async function modelAt(address: string): Promise<LoadedModel> {
  const url = new URL(address, document.baseURI).href;
  const model = await loadModel(filesAtUrl(address, url));
  return { ...model, name: nameOfPlace(url) };
}
