/** An engine for a custom training loop: a loaded model, its words, and the seven calls. */
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
import { startingFactors, startingWeights } from './start.ts';
import { withWeights } from '../hub/modelFiles.ts';

export interface EngineOptions {
  readonly model: LoadedModel;
  readonly settings?: Partial<EngineSettings>;
  /** The longest prompt plus completion in tokens; by default 512, or the room of the model if that is less. */
  readonly positions?: number;
  /** The form in which a conversation becomes tokens. The default `auto` uses the chat template if the model has one. */
  readonly renderer?: RendererName | 'auto';
  /** Lets the model think before it answers, with chat templates that ask; false by default. */
  readonly thinking?: boolean;
  /** Makes the generators; by default one in the caller's own thread, on the running backend. */
  readonly createPool?: EngineEnvironment['createPool'];
}

export interface OpenEngine {
  readonly engine: Engine;
  readonly model: LoadedModel;
  readonly settings: EngineSettings;
  /** Tensor ops, for custom losses. */
  readonly tf: typeof tf;
  readonly tokenizer: Tokenizer;
  /** `promptIds(messages)`, `textOf(tokens, stopReason)`, `answerIds(text)`. */
  readonly renderer: Renderer;
  /** Returns the model with the policy's current weights, LoRA merged: to be saved (`modelFiles`) or opened again. */
  readonly trainedModel: () => Promise<LoadedModel>;
  /** Frees weights, optimizer and generators. */
  readonly dispose: () => void;
}

/** The room for padding to the length steps of trainer and decoder, in tokens. */
const PADDING = 64;
const USUAL_POSITIONS = 512;

/**
 * Opens an engine on the running backend (`startBackend`), and resolves when the generators hold the model's weights, as version 0.
 * Dispose of it after use.
 *
 * @throws Error if an option or a setting does not exist or has a value that is not allowed, if the model has fewer positions than asked
 * for, and if that renderer can't ask the model.
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
      adapter: await startingFactors(whole, model),
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
