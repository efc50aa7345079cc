/** The engine API under Node (wasm, one thread): the same as `engine.ts`, with models by name or folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startBackendInNode } from './backend/startInNode.ts';
import { loadModel } from './hub/load.ts';
import { filesInMemory } from './hub/sources.ts';
import type { LoadedModel } from './hub/types.ts';
import { BUNDLED_MODELS, STARTER } from './run/models/namedModels.ts';
import {
  createEngine as createEngineOf,
  type EngineOptions,
  type OpenEngine,
} from './run/engine/createEngine.ts';

export * from './engine.ts';

export interface NodeEngineOptions extends Omit<EngineOptions, 'model'> {
  /** A bundled model's name (the starter, if left out), a folder in Hugging Face layout, or a loaded model. */
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
  return createEngineOf({ ...options, model: typeof model === 'string' ? await modelAt(model) : model });
}

async function modelAt(name: string): Promise<LoadedModel> {
  const bundled = fileURLToPath(new URL(`../public/models/${name}`, import.meta.url));
  const folder = BUNDLED_MODELS.includes(name) ? bundled : name;
  if (!existsSync(join(folder, 'config.json')))
    throw new Error(
      `There is no model "${name}"; pass one of ${BUNDLED_MODELS.join(', ')}, or a folder with config.json, weights and tokenizer.`,
    );
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map(
    (entry) => [entry.name, new Uint8Array(readFileSync(join(folder, entry.name)))] as const,
  );
  return loadModel(filesInMemory(name, new Map(files)));
}
