/** The prompts of a run: how they are rendered, and how long they get. */
import {
  breatheIfDue,
  createRenderer,
  type RenderedModel,
  type Renderer,
  type LoadedModel,
} from '@rl-playground/engine/parts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { localMoment } from '@rl-playground/base/clock';
import { evaluationMix, heldOutProblems, taskAt, taskMix, trainingProblem } from './taskMix.ts';
import type { PromptStyle } from '@rl-playground/tasks/parts';

/** Room for a prompt longer than any that was looked at, and for padding to the length steps of trainer and decoder. */
export const SPARE_POSITIONS = 64;
/** The number of prompts that are looked at to find the longest. */
const PROMPTS_MEASURED = 256;

/**
 * The run's renderer. `moment` is the time that its templates take for now (`localMoment`); by default it is the clock's.
 * @throws ModelFileError where the model can't be asked that way.
 */
export function rendererOf(config: RunConfig, model: RenderedModel, moment = localMoment()): Renderer {
  const asked = taskMix(config).some(({ config: ofTask }) => ofTask['developer_prompt'] === 'think');
  return createRenderer(config.renderer, model, {
    thinking: config.thinking === 'on',
    ...(asked && { scoreThoughts: true }),
    moment,
  });
}

/** True if the run's prompts say what time it is. */
export function readsClock({ name }: Renderer, { tokenizer }: RenderedModel): boolean {
  return name === 'chat_template' && tokenizer.templateMentions('strftime_now');
}

/** One problem of an evaluation, as the record of it has it. */
export interface HeldOutQuestion {
  readonly task: string;
  readonly question: string;
}

/**
 * The prompt of such a problem, in tokens, as the run's evaluations put it.
 * @throws Error where the tasks that the settings name, or their rows, are not here or ask something else by now.
 */
export function heldOutPrompt(
  config: RunConfig,
  model: LoadedModel,
  { task, question }: HeldOutQuestion,
  moment?: number,
): readonly number[] {
  const tasks = evaluationMix(config);
  for (const { taskIndex, problem } of heldOutProblems(tasks, config.evalSamples)) {
    if (problem.task !== task) continue;
    const messages = taskAt(tasks, taskIndex).task.messages(problem, model.promptStyle);
    if (messages.at(-1)?.content === question) return rendererOf(config, model, moment).promptIds(messages);
  }
  throw new Error(
    `This problem of ${task} is no longer among the held-out ones, so its prompt can’t be rebuilt: the task, its rows or its settings have changed since.`,
  );
}

/** Counts the tokens of the first prompts, and of those of the hardest level where a curriculum or an evaluation may get there. */
function* promptLengths(config: RunConfig, style: PromptStyle, renderer: Renderer): Generator<number> {
  const levels = config.curriculum !== 'off' || config.levelSamples > 0;
  const mixes = [taskMix(config), ...(config.evalMixture.length > 0 ? [evaluationMix(config)] : [])];
  for (const tasks of mixes) {
    const hardest = tasks.map(({ task }) => task.levels.length - 1);
    for (const atLevels of levels ? [null, hardest] : [null])
      for (let index = 0; index < PROMPTS_MEASURED; index++) {
        const { problem, taskIndex } = trainingProblem(tasks, atLevels, config.seed, index);
        yield renderer.promptIds(taskAt(tasks, taskIndex).task.messages(problem, style)).length;
      }
  }
}

/** The number of tokens of the longest of the first prompts. */
export function longestPrompt(config: RunConfig, style: PromptStyle, renderer: Renderer): number {
  return Math.max(...promptLengths(config, style, renderer));
}

/** Finds the same while the page goes on. */
export async function longestPromptInSlices(
  config: RunConfig,
  style: PromptStyle,
  renderer: Renderer,
): Promise<number> {
  let longest = 0;
  for (const length of promptLengths(config, style, renderer)) {
    longest = Math.max(longest, length);
    await breatheIfDue();
  }
  return longest;
}

/** An answer of fewer tokens has no room for a tag and a number. */
const LEAST_ANSWER = 8;

/** The reason why prompts and answers of a run do not fit into a model's context, and the settings with which they do; null where they fit. */
export function roomProblem(
  promptTokens: number,
  { maxTokens }: Pick<RunConfig, 'maxTokens'>,
  { name, config: { maxPositions } }: Pick<LoadedModel, 'name' | 'config'>,
) {
  const left = maxPositions - promptTokens;
  if (maxTokens <= left) return null;
  if (left < LEAST_ANSWER)
    return {
      cause: 'long',
      title: `The prompts of this task do not fit ${name}`,
      text: `They have up to ${promptTokens} tokens, and its context holds ${maxPositions}. Choose another task, or a model with a longer context.`,
    } as const;
  return {
    cause: 'room',
    title: `Answers of ${maxTokens} tokens do not fit ${name}`,
    text: `Its context holds ${maxPositions} tokens, and prompts take up to ${promptTokens} of them. Set tokens per answer to ${left} or less.`,
    settings: { maxTokens: left },
  } as const;
}

/**
 * The tokens of the run's longest prompt, and the positions of the longest sequence that the device meets. `others` are positions that rows
 * of the warm-up need.
 * @throws Error where the model has fewer positions than the longest prompt and the longest answer need.
 */
export async function roomOf(
  config: RunConfig,
  model: LoadedModel,
  renderer: Renderer,
  others: number,
): Promise<{ readonly promptTokens: number; readonly positions: number }> {
  const promptTokens = await longestPromptInSlices(config, model.promptStyle, renderer);
  const problem = roomProblem(promptTokens, config, model);
  if (problem !== null) throw new Error(`${problem.title}. ${problem.text}`);
  return { promptTokens, positions: Math.max(promptTokens + config.maxTokens, others) + SPARE_POSITIONS };
}
