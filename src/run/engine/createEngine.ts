/** An engine for a training loop of one's own: a loaded model, its words, tasks, and the seven calls. */
import * as tf from '../../backend/tf.ts';
import { parseConfig } from '../../config/check.ts';
import { defaultConfig } from '../../config/presets.ts';
import {
  createRenderer,
  RENDERER_NAMES,
  type Renderer,
  type RendererName,
} from '../../hub/renderers/index.ts';
import type { LoadedModel, Tokenizer } from '../../hub/types.ts';
import { checkKeys, described } from '../../rl/engine/calls.ts';
import type { Engine } from '../../rl/engine/engine.ts';
import { createLocalPool } from '../../rollout/localPool.ts';
import type { GeneratorModel } from '../../rollout/decoder.ts';
import type { TaskConfig } from '../../tasks/types.ts';
import { ENGINE_SETTINGS, EngineHost, type EngineSettings, type SessionEnvironment } from './engineHost.ts';
import { openTask, type EngineTask } from './engineTask.ts';
import { withWeights } from '../checkpoint/mergedModel.ts';

export interface EngineOptions {
  readonly model: LoadedModel;
  /** What differs from a run's default settings. */
  readonly settings?: Partial<EngineSettings>;
  /** Longest prompt plus completion, tokens; by default 512, or what the model has where that is less. */
  readonly positions?: number;
  /** How a conversation becomes tokens; `auto`, the default, goes by whether the model has a chat template. */
  readonly renderer?: RendererName | 'auto';
  /** Makes the generators; by default one in the caller's own thread, on the running backend. */
  readonly createPool?: SessionEnvironment['createPool'];
}

export interface OpenEngine {
  readonly engine: Engine;
  readonly settings: EngineSettings;
  /** Tensor ops, for losses of one's own. */
  readonly tf: typeof tf;
  readonly tokenizer: Tokenizer;
  /** `promptIds(messages)`, `textOf(tokens, stopReason)`, `answerIds(text)`. */
  readonly renderer: Renderer;
  /**
   * A task by its name, asked as this model is asked. `config`: what differs from the task's own settings; without it the settings of the
   * task's first run, where this is the model of that. Throws where there is no such task or setting.
   */
  readonly task: (name: string, config?: TaskConfig) => EngineTask;
  /** The model with the policy's weights of now, LoRA merged: to be saved (`modelFiles`) or opened again. */
  readonly trainedModel: () => Promise<LoadedModel>;
  /** Frees weights, optimizer and generators. */
  readonly dispose: () => void;
}

/** Room for padding to the length steps of trainer and decoder. */
const PADDING = 64;
const USUAL_POSITIONS = 512;

/**
 * Opens an engine on the running backend (`startBackend`); resolves when the generators hold the model's weights, as version 0. Throws where
 * an option or a setting does not exist or its value can't be, where the model has fewer positions than asked for, and where it has no way to be
 * asked with that renderer. Dispose of it after use.
 */
export async function createEngine(options: EngineOptions): Promise<OpenEngine> {
  checkEngineOptions(options);
  const {
    model,
    settings = {},
    positions = Math.min(USUAL_POSITIONS, model.config.maxPositions),
    renderer: rendererName = 'auto',
    createPool = (generator, { generatorPrecision }) => createLocalPool(generator, generatorPrecision),
  } = options;
  const whole = checkedSettings(settings);
  checkPositions(positions, model);
  const renderer = createRenderer(rendererName, model);
  const generatorModel: GeneratorModel = {
    config: model.config,
    stopTokenIds: model.stopTokenIds,
    positions: positions + PADDING,
    tokenBytes: model.tokenizer.tokenBytes(),
  };
  const host = new EngineHost(
    whole,
    model,
    generatorModel,
    {
      weights: model.weights,
      adapter: null,
      reference: null,
      optimizer: null,
      version: 0,
      positions,
      stopStrings: renderer.stopStrings,
    },
    { createPool, now: () => performance.now() },
  );
  try {
    await host.publish();
  } catch (error) {
    host.dispose();
    throw error;
  }
  return {
    engine: host.engine,
    settings: whole,
    tf,
    tokenizer: model.tokenizer,
    renderer,
    task: (name, config) => openTask(name, config, { model, renderer, seed: whole.seed }),
    trainedModel: () =>
      host.engine.inTurn('trainedModel', async () => withWeights(model, await host.weights())),
    dispose: () => host.dispose(),
  };
}

const OPTIONS = [
  'model',
  'settings',
  'positions',
  'renderer',
  'createPool',
] as const satisfies (keyof EngineOptions)[];

function checkEngineOptions(options: EngineOptions): void {
  checkKeys(options, OPTIONS, 'option of createEngine');
  const model: unknown = options.model;
  if (typeof model !== 'object' || model === null || !('weights' in model))
    throw new Error(`The model is ${described(model)}; pass what loadModel gave.`);
  const renderers: readonly string[] = ['auto', ...RENDERER_NAMES];
  const { renderer = 'auto' } = options;
  if (!renderers.includes(renderer))
    throw new Error(`There is no renderer ${described(renderer)}; choose one of: ${renderers.join(', ')}.`);
  if (options.createPool !== undefined && typeof options.createPool !== 'function')
    throw new Error(`createPool is ${described(options.createPool)}; pass a function that makes generators.`);
}

function checkedSettings(changes: Partial<EngineSettings>): EngineSettings {
  const known: readonly string[] = ENGINE_SETTINGS;
  const unknown = Object.keys(changes).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new Error(`There is no engine setting "${unknown}"; the settings are: ${known.join(', ')}.`);
  const parsed = parseConfig({ ...defaultConfig('reverse_digits'), ...changes });
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return Object.fromEntries(
    ENGINE_SETTINGS.map((key) => [key, parsed.config[key]]),
  ) as unknown as EngineSettings;
}

function checkPositions(positions: number, { name, config: { maxPositions } }: LoadedModel): void {
  if (!(Number.isInteger(positions) && positions >= 2 && positions <= maxPositions))
    throw new Error(
      `positions is ${described(positions)}; ${name} takes a whole number from 2 to ${maxPositions}: the longest prompt plus completion.`,
    );
}
