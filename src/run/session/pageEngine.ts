/** `rlPlayground.createEngine` opens an engine in the page's console, beside the page's own run. This file is loaded when it is first called. */
import type { Deadline } from '@rl-playground/base/deadline';
import type { LoadedModel, EngineOptions, OpenEngine } from '@rl-playground/engine/parts';
import { createEngine } from '@rl-playground/engine/parts/tensors';
import { BUNDLED_MODELS, STARTER } from '../models/bundledModels.ts';
import { loadBundledModel } from '../models/namedModels.ts';
import { taskFor, type AskedTask, type TaskConfig } from '@rl-playground/tasks/parts';
import type { RunController } from './controller.ts';
import { address } from '../models/besidePage.ts';
import { pageEnvironment } from '../environment/pageEnvironment.ts';

export interface PageEngineOptions extends Omit<EngineOptions, 'model'> {
  /** A bundled model's name (the starter, if left out), or a loaded model. */
  readonly model?: string | LoadedModel;
  /** The milliseconds that a generator may say nothing before another takes its place: `{ first: 180_000, least: 20_000, rounds: 20 }`. */
  readonly deadline?: Deadline;
}

export interface PageEngine extends OpenEngine {
  /** Asks a task with this engine (`taskFor`). */
  readonly task: (name: string, config?: TaskConfig) => AskedTask;
}

/** The part of the page's run that tells of its backend. */
type Starting = Pick<RunController, 'snapshot' | 'subscribe'>;

/**
 * Opens an engine on the page's backend, with generators in Web Workers. It shares the device with the page's own run, which should rest
 * meanwhile. Throws as `createEngine` does, and where there is no such model.
 */
export async function createPageEngine(
  controller: Starting,
  { model = STARTER, deadline, ...options }: PageEngineOptions = {},
): Promise<PageEngine> {
  const { createPool } = await pageEnvironment(
    await startedBackend(controller),
    options.settings?.generatorPlacement,
    { deadline },
  );
  const open = await createEngine({
    createPool,
    ...options,
    model: typeof model === 'string' ? await bundledModel(model) : model,
  });
  return { ...open, task: (name, config) => taskFor(open, name, config) };
}

async function bundledModel(name: string): Promise<LoadedModel> {
  if (BUNDLED_MODELS.includes(name)) return loadBundledModel(name, address, () => undefined);
  throw new Error(`There is no model "${name}" beside the page; pass one of ${BUNDLED_MODELS.join(', ')}.`);
}

/** Waits for the page to have started its backend. */
function startedBackend(controller: Starting): Promise<'webgpu' | 'wasm'> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const { backend, phase } = controller.snapshot();
      if (backend !== null) resolve(backend.backend);
      else if (phase === 'failed')
        reject(new Error('The page could not start its backend; the notice on it says why.'));
      else return;
      unsubscribe();
    };
    const unsubscribe = controller.subscribe(look);
    look();
  });
}
