/** Notes on a model for a person who is about to train it, such as words that its template leaves out, or the sampling of its makers. */
import type { RunConfig } from '../settings/schema/schema.ts';
import { canWrite, knowsThoughts, type LoadedModel } from '@rl-playground/engine/parts';
import { evaluationMix, taskAt, taskMix, trainingProblem, type MixTask } from '../loop/taskMix.ts';
import type { ChatMessage } from '@rl-playground/base/conversation';
import { rendererOf } from '../loop/prompts.ts';
import '@rl-playground/tasks/words';

interface Note {
  readonly kind: 'info' | 'warning';
  readonly title: string;
  readonly text: string;
}

function firstMessages(config: RunConfig, { promptStyle }: LoadedModel): ChatMessage[] {
  const tasks = taskMix(config);
  const { problem, taskIndex } = trainingProblem(tasks, null, config.seed, 0);
  return taskAt(tasks, taskIndex).task.messages(problem, promptStyle);
}

const QUOTED = 80;

const LEFT_OUT: Readonly<Record<ChatMessage['role'], { readonly title: string; readonly so: string }>> = {
  system: { title: 'the system prompt', so: 'The model would never read these instructions.' },
  user: {
    title: 'the question',
    so: 'The model would be trained on answers to problems that it does not see.',
  },
  assistant: { title: 'the example answers', so: 'The model would not see them.' },
};

/** Notes, for each role whose words are not in the prompt, that they are left out. A template that fails is an error of the run. */
function leftOut(config: RunConfig, model: LoadedModel): Note[] {
  if (rendererOf(config, model).name !== 'chat_template') return [];
  const messages = firstMessages(config, model);
  const enableThinking = config.thinking === 'on';
  const text = model.tokenizer.renderChat(messages, { addGenerationPrompt: true, enableThinking });
  const missing = messages.filter(({ content }) => !text.includes(content.trim()));
  return [...new Set(missing.map(({ role }) => role))].map((role) => {
    const { title, so } = LEFT_OUT[role];
    const words = missing.find((message) => message.role === role)?.content ?? '';
    return {
      kind: 'warning',
      title: `The chat template of ${model.name} leaves out ${title}`,
      text: `${so} Left out is: "${words.slice(0, QUOTED)}${words.length > QUOTED ? '…' : ''}". Choose the renderer "role_colon", or another model.`,
    };
  });
}

const shown = (entries: readonly (readonly [string, number])[]): string =>
  entries.map(([name, value]) => `${name} ${value}`).join(', ');

function ownSampling(
  { temperature, topP, topK, minP, repetitionPenalty }: RunConfig,
  { name, samplingDefaults }: LoadedModel,
): Note[] {
  const stated = Object.entries(samplingDefaults);
  if (stated.length === 0) return [];
  const ours = shown([
    ['temperature', temperature],
    ['topP', topP],
    ['topK', topK],
    ...(minP > 0 ? [['minP', minP] as const] : []),
    ...(repetitionPenalty !== 1 ? [['repetitionPenalty', repetitionPenalty] as const] : []),
  ]);
  return [
    {
      kind: 'info',
      title: `${name} has sampling settings, which this run does not use`,
      text: `generation_config.json says ${shown(stated)}. This run samples with ${ours}. Filters and penalties make ratios inexact; set temperature, topP, topK, minP and repetitionPenalty to use them anyway.`,
    },
  ];
}

function thoughtless({ thinking }: RunConfig, { name, tokenizer }: LoadedModel): Note[] {
  if (thinking === 'off' || knowsThoughts(tokenizer) || tokenizer.templateMentions('enable_thinking'))
    return [];
  return [
    {
      kind: 'warning',
      title: `${name} is not asked to think`,
      text: 'The setting thinking is on, but this model’s chat template has no thinking mode. Text between <think> and </think> is still not scored.',
    },
  ];
}

/** The number of problems of each task that are looked at. */
const READ = 20;

/** The first problems of a task, with their answers, that the model has no tokens for. */
function strangeTexts(
  { task, config }: Pick<MixTask, 'task' | 'config'>,
  seed: number,
  { tokenizer, promptStyle }: LoadedModel,
): string[] {
  const grader = task.definition?.grader;
  // A row that is a pattern is no text that the model would write.
  const answerless = grader?.kind === 'regex' && grader.pattern === '';
  const texts = Array.from({ length: READ }, (_, index) => {
    const problem = task.generate(seed, 'train', index, config);
    return `${task.messages(problem, promptStyle).at(-1)?.content ?? ''} ${answerless ? '' : problem.answer}`;
  });
  return texts.filter((text) => !canWrite(tokenizer, text));
}

/** The notes that were found, by the settings that decide them: a form asks at every key. */
const known = new WeakMap<LoadedModel, Map<string, Note | null>>();

/** The note that the model can read no problem of the run at all; null where it can read some. */
export function nothingReadable(config: RunConfig, model: LoadedModel): Note | null {
  const { task, taskConfig, mixture, seed } = config;
  const key = JSON.stringify([task, taskConfig, mixture, seed]);
  const ofModel = known.get(model) ?? new Map<string, Note | null>();
  known.set(model, ofModel);
  const found = ofModel.get(key);
  if (found !== undefined) return found;
  const none = taskMix(config).every((mixTask) => strangeTexts(mixTask, seed, model).length === READ);
  const note = none ? (unreadable(config, model)[0] ?? null) : null;
  ofModel.set(key, note);
  return note;
}

/** Notes, for each task whose questions or right answers have characters that the model has no tokens for, that it can't read them. */
function unreadable(config: RunConfig, model: LoadedModel): Note[] {
  const { name, tokenizer } = model;
  const trained = taskMix(config);
  const asked = [...trained, ...(config.evalMixture.length > 0 ? evaluationMix(config) : [])];
  const tasks = asked.filter(
    ({ task: { name: each } }, at) => asked.findIndex(({ task }) => task.name === each) === at,
  );
  return tasks.flatMap(({ task, config: taskConfig }): Note[] => {
    const strange = strangeTexts({ task, config: taskConfig }, config.seed, model);
    if (strange.length === 0) return [];
    const share = trained.length > 1 ? trained.find((each) => each.task === task)?.share : undefined;
    const ofRun =
      share === undefined ? '' : `, ${Math.round((100 * share * strange.length) / READ)}% of the run’s,`;
    const signs = new Set(strange.flatMap((text) => [...text].filter((sign) => !canWrite(tokenizer, sign))));
    return [
      {
        kind: 'warning',
        title: `${name} cannot read the task ${task.name}`,
        text: `${strange.length} of ${READ} problems${ofRun} have characters that its vocabulary lacks: ${[...signs].slice(0, 12).join(' ')}. It would be asked something other than what is scored, and learn nothing. Choose a model that can read them under "Another model", or another task.`,
      },
    ];
  });
}

/** All notes for a run of these settings that begins from this model. @throws ModelFileError where the model can't be asked that way. */
export function modelNotes(config: RunConfig, model: LoadedModel): Note[] {
  return [
    ...unreadable(config, model),
    ...leftOut(config, model),
    ...thoughtless(config, model),
    ...ownSampling(config, model),
  ];
}
