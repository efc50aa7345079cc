/** The engine API under Node, on wasm with one thread. Everything here and in `api.ts` is documented in docs/engine.md and kept stable. */
import { isStarted } from './backend/start.ts';
import { startBackendInNode } from './backend/startInNode.ts';
import { createEngine as createEngineOf, type OpenEngine } from './calls/createEngine.ts';
import { nameOfPlace, type OpenOptions } from './calls/openOptions.ts';
import { filesAtPath, fromCaller } from './hub/filesInNode.ts';
import { loadModel } from './hub/load.ts';
import { filesAtUrl } from './hub/sources.ts';

export * from './api.ts';

/**
 * Opens an engine as `createEngine` of `index.ts` does; `model` may also be a path.
 *
 * @throws Error as there, and if there is nothing at that path.
 */
export async function createEngine({ model, ...options }: OpenOptions): Promise<OpenEngine> {
  if (!isStarted()) await startBackendInNode();
  return createEngineOf({
    ...options,
    model: typeof model === 'string' ? await modelAt(model) : model,
  });
}

async function modelAt(place: string) {
  const files = /^https?:/.test(place)
    ? filesAtUrl(place, place)
    : await filesAtPath(fromCaller(place), place);
  return { ...(await loadModel(files)), name: nameOfPlace(place) };
}
