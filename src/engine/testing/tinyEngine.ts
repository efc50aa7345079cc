/** Engines of a tiny starter for the tests of one file, which closes them. */
import { afterEach, beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import type { LoadedModel } from '../hub/types.ts';
import { createEngine, type EngineOptions, type OpenEngine } from '../calls/createEngine.ts';
import { starterInNode } from './starterFolder.ts';
import { tinyStarter } from './tinyStarter.ts';
import { wasmPathInNode } from './wasm.ts';

export interface TinyEngines {
  /** The model, once tests run. */
  readonly model: () => LoadedModel;
  /** Opens an engine on wasm, with 64 positions. It is closed after the test at the latest. */
  readonly open: (options?: Partial<EngineOptions>) => Promise<OpenEngine>;
  /** Closes the engine that was opened last. */
  readonly closeLast: () => void;
}

/** Provides engines for a test file, which calls it at the top. */
export function tinyEngines(): TinyEngines {
  let starter: LoadedModel | null = null;
  const opened: OpenEngine[] = [];
  beforeAll(async () => {
    await startBackend('wasm', { wasmPath: wasmPathInNode });
    starter = await tinyStarter(starterInNode());
  });
  afterEach(() => {
    for (const made of opened.splice(0)) made.dispose();
  });
  const model = (): LoadedModel => {
    if (starter === null) throw new Error('The model is there once tests run.');
    return starter;
  };
  return {
    model,
    open: async (options = {}) => {
      const made = await createEngine({ model: model(), positions: 64, ...options });
      opened.push(made);
      return made;
    },
    closeLast: () => opened.pop()?.dispose(),
  };
}
