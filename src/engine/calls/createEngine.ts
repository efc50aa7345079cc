/** An engine for a training loop of one's own: a loaded model, its words, and the seven calls. */
import * as tf from '../backend/tf.ts';
import { localMoment } from '@rl-playground/base/clock';
import { createRenderer, RENDERER_NAMES, type Renderer, type RendererName } from '../hub/renderers.ts';
import type { LoadedModel, Tokenizer } from '../hub/types.ts';
import { described } from '@rl-playground/base/described';
import { checkKeys } from './calls.ts';
import type { Engine } from './engine.ts';
import { LOCAL_ENVIRONMENT } from './localEnvironment.ts';
import type { GeneratorModel } from '../rollout/decoding/decoder.ts';
import { EngineHost, type EngineEnvironment } from './host.ts';
import { engineSettings, type EngineSettings } from './settings.ts';
import { startingWeights } from './start.ts';
import { withWeights } from '../hub/modelFiles.ts';

export interface EngineOptions {
  readonly model: LoadedModel;
  /** What differs from the defaults (`ENGINE_DEFAULTS`). */
  readonly settings?: Partial<EngineSettings>;
  /** Longest prompt plus completion, tokens; by default 512, or what the model has where that is less. */
  readonly positions?: number;
  /** How a conversation becomes tokens; `auto`, the default, goes by whether the model has a chat template. */
  readonly renderer?: RendererName | 'auto';
  /** Whether chat templates that ask let the model think before it answers; by default they don't. */
  readonly thinking?: boolean;
  /** Makes the generators; by default one in the caller's own thread, on the running backend. */
  readonly createPool?: EngineEnvironment['createPool'];
}

export interface OpenEngine {
  readonly engine: Engine;
  /** As it was loaded. */
  readonly model: LoadedModel;
  readonly settings: EngineSettings;
  /** Tensor ops, for losses of one's own. */
  readonly tf: typeof tf;
  readonly tokenizer: Tokenizer;
  /** `promptIds(messages)`, `textOf(tokens, stopReason)`, `answerIds(text)`. */
  readonly renderer: Renderer;
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
  checkOptions(options);
  const {
    model,
    settings = {},
    positions = Math.min(USUAL_POSITIONS, model.config.maxPositions),
    renderer: rendererName = 'auto',
    thinking = false,
    createPool = LOCAL_ENVIRONMENT.createPool,
  } = options;
  const whole = engineSettings(settings);
  checkPositions(positions, model);
  const renderer = createRenderer(rendererName, model, { thinking, moment: localMoment() });
  const generatorModel: GeneratorModel = {
    config: model.config,
    stopTokenIds: model.stopTokenIds,
    drawableIds: model.tokenizer.vocabSize,
    positions: positions + PADDING,
    tokenBytes: model.tokenizer.tokenBytes(),
  };
  const host = new EngineHost(
    whole,
    model,
    generatorModel,
    {
      weights: await startingWeights(whole, model),
      adapter: null,
      reference: null,
      optimizer: null,
      version: 0,
      positions,
      stopStrings: renderer.stopStrings,
    },
    { ...LOCAL_ENVIRONMENT, createPool },
  );
  try {
    await host.publish();
  } catch (error) {
    host.dispose();
    throw error;
  }
  return {
    engine: host.engine,
    model,
    settings: whole,
    tf,
    tokenizer: model.tokenizer,
    renderer,
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
  'thinking',
  'createPool',
] as const satisfies (keyof EngineOptions)[];

function checkOptions(options: EngineOptions): void {
  checkKeys(options, OPTIONS, 'option of createEngine');
  const model: unknown = options.model;
  if (typeof model !== 'object' || model === null || !('weights' in model))
    throw new Error(`The model is ${described(model)}; pass what loadModel gave.`);
  const renderers: readonly string[] = ['auto', ...RENDERER_NAMES];
  const { renderer = 'auto' } = options;
  if (!renderers.includes(renderer))
    throw new Error(`There is no renderer ${described(renderer)}; choose one of: ${renderers.join(', ')}.`);
  if (options.thinking !== undefined && typeof options.thinking !== 'boolean')
    throw new Error(`thinking is ${described(options.thinking)}; pass true or false.`);
  if (options.createPool !== undefined && typeof options.createPool !== 'function')
    throw new Error(`createPool is ${described(options.createPool)}; pass a function that makes generators.`);
}

function checkPositions(positions: number, { name, config: { maxPositions } }: LoadedModel): void {
  if (!(Number.isInteger(positions) && positions >= 2 && positions <= maxPositions))
    throw new Error(
      `positions is ${described(positions)}; ${name} takes a whole number from 2 to ${maxPositions}: the longest prompt plus completion.`,
    );
}
