/** An engine for a training loop of one's own: a loaded model, its words, tasks, and the seven calls. */
import * as tf from '../../backend/tf.ts';
import { localMoment } from '../../base/clock.ts';
import { parseConfig } from '../../config/check.ts';
import { defaultConfig } from '../../config/presets.ts';
import { createRenderer, RENDERER_NAMES, type Renderer, type RendererName } from '../../hub/renderers.ts';
import type { LoadedModel, Tokenizer } from '../../hub/types.ts';
import { checkKeys, checkList, described } from '../../rl/engine/calls.ts';
import type { Engine } from '../../rl/engine/engine.ts';
import { LOCAL_ENVIRONMENT } from '../localEnvironment.ts';
import type { GeneratorModel } from '../../rollout/decoder.ts';
import {
  SCORING_MODES,
  type ChatMessage,
  type Problem,
  type Reward,
  type ScoringMode,
  type Split,
  type Task,
  type TaskConfig,
} from '../../tasks/types.ts';
import { EngineHost, type SessionEnvironment } from './engineHost.ts';
import { ENGINE_SETTINGS, startingWeights, type EngineSettings } from './engineStart.ts';
import { withWeights } from '../checkpoint/modelFiles.ts';
import type { SampledCompletion } from '../../rollout/types.ts';
import { scoreItems, taskConfigErrors } from '../../tasks/define.ts';
import { taskByName } from '../../tasks/index.ts';
import '../../tasks/gym/words/wordData.ts';

export interface EngineOptions {
  readonly model: LoadedModel;
  /** What differs from a run's default settings. */
  readonly settings?: Partial<EngineSettings>;
  /** Longest prompt plus completion, tokens; by default 512, or what the model has where that is less. */
  readonly positions?: number;
  /** How a conversation becomes tokens; `auto`, the default, goes by whether the model has a chat template. */
  readonly renderer?: RendererName | 'auto';
  /** Whether chat templates that ask let the model think before it answers; by default they don't. */
  readonly thinking?: boolean;
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
    thinking = false,
    createPool = LOCAL_ENVIRONMENT.createPool,
  } = options;
  const whole = checkedSettings(settings);
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
  'thinking',
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
  if (options.thinking !== undefined && typeof options.thinking !== 'boolean')
    throw new Error(`thinking is ${described(options.thinking)}; pass true or false.`);
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

export interface EngineTask {
  readonly task: Task;
  /** Every field of the task. */
  readonly config: TaskConfig;
  /** The `index`-th problem of the engine's seed; those of `train`, the default, and `eval` never meet. Throws on no such number or split. */
  readonly problem: (index: number, split?: Split) => Problem;
  readonly messages: (problem: Problem) => ChatMessage[];
  /** The conversation and the beginning of the answer. */
  readonly promptIds: (problem: Problem) => number[];
  /** The rewards of completions of `problem`, in order; `strict` scoring by default. */
  readonly score: (
    problem: Problem,
    completions: readonly Pick<SampledCompletion, 'tokens' | 'stopReason'>[],
    mode?: ScoringMode,
  ) => Promise<Reward[]>;
}

/** Throws where there is no task of that name, or `changes` are none that it can have. */
function openTask(
  name: string,
  changes: TaskConfig | undefined,
  { model, renderer, seed }: { model: LoadedModel; renderer: Renderer; seed: number },
): EngineTask {
  if (typeof name !== 'string')
    throw new Error(`The task is ${described(name)}; pass a name, as 'reverse_digits'.`);
  const task = taskByName(name);
  const own = changes ?? (task.starter?.model === model.name ? (task.starter.config as TaskConfig) : {});
  const errors = taskConfigErrors(task, own);
  if (errors.length > 0) throw new Error(errors.join('\n'));
  const config: TaskConfig = { ...task.defaults, ...own };
  const messages = (problem: Problem): ChatMessage[] => {
    checkProblem(problem);
    return task.messages(problem, model.promptStyle);
  };
  return {
    task,
    config,
    problem(index, split = 'train') {
      checkPlace(index, split);
      return task.generate(seed, split, index, config);
    },
    messages,
    promptIds: (problem) => renderer.promptIds(messages(problem)),
    async score(problem, completions, mode = 'strict') {
      checkProblem(problem);
      checkCompletions(completions, mode);
      const items = completions.map(({ tokens, stopReason }) => ({
        problem,
        completion: { tokens, ...renderer.textOf(tokens, stopReason) },
      }));
      return scoreItems(task, items, { mode, config });
    },
  };
}

function checkPlace(index: number, split: Split): void {
  if (!(Number.isSafeInteger(index) && index >= 0))
    throw new Error(`The problem wanted is number ${described(index)}; a whole number from 0 up is needed.`);
  if (split !== 'train' && split !== 'eval')
    throw new Error(`There is no split ${described(split)}; choose train or eval.`);
}

function checkProblem(problem: unknown): void {
  if (typeof problem !== 'object' || problem === null || !('task' in problem))
    throw new Error(`The problem is ${described(problem)}; pass what problem(index) gave.`);
}

function checkCompletions(completions: unknown, mode: ScoringMode): void {
  checkList(
    completions,
    'The completions are',
    'pass a list of { tokens, stopReason }, as sample gives them',
  );
  for (const [i, each] of (completions as unknown[]).entries())
    if (typeof each !== 'object' || each === null || !('tokens' in each && 'stopReason' in each))
      throw new Error(
        `Completion ${i} is ${described(each)} without tokens or stopReason; pass { tokens, stopReason }, as sample gives it.`,
      );
  if (!SCORING_MODES.includes(mode))
    throw new Error(
      `There is no scoring mode ${described(mode)}; choose one of: ${SCORING_MODES.join(', ')}.`,
    );
}
