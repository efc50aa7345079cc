/** The engine API under Node (wasm, one thread): the same as `engine.ts`, with models by name or path. */
import { startBackendInNode } from './backend/startInNode.ts';
import type { LoadedModel } from './hub/types.ts';
import { loadModelNamed } from './run/models/modelsInNode.ts';
import { STARTER } from './run/models/bundledModels.ts';
import {
  createEngine as createEngineOf,
  type EngineOptions,
  type OpenEngine,
} from './rl/engine/createEngine.ts';

export * from './engine.ts';

export interface NodeEngineOptions extends Omit<EngineOptions, 'model'> {
  /**
   * A bundled model's name (the starter, if left out), the path of a folder or zip in Hugging Face layout, relative to where the
   * caller stands, `org/name[@revision]` of the Hugging Face Hub, the URL of a folder, or a loaded model.
   */
  readonly model?: string | LoadedModel;
}

let started: Promise<unknown> | null = null;

/**
 * Starts the backend where that has not been done, loads the model, and opens an engine. Throws as `createEngine` of engine.ts does, and
 * where there is no such model.
 */
export async function createEngine({
  model = STARTER,
  ...options
}: NodeEngineOptions = {}): Promise<OpenEngine> {
  await (started ??= startBackendInNode());
  return createEngineOf({
    ...options,
    model: typeof model === 'string' ? await loadModelNamed(model) : model,
  });
}
