/** A run as another trainer takes it up: model or adapter, data, reward, configuration, and what could not be carried. */
import type { RunConfig } from '@rl-playground/run/settings';
import { createRenderer, knowsThoughts, type LoadedModel, type OpenFile } from '@rl-playground/engine/parts';
import { longestPrompt, type MixTask, readsClock, rendererOf, taskMix } from '@rl-playground/run/loop';
import type { CheckpointParts, TrainerState } from '@rl-playground/run/checkpoint';
import { HandoffError } from './handoffError.ts';
import { handedModel, textFile, trainingFiles } from './modelFiles.ts';
import { notCarried } from './notCarried.ts';
import { readmeText } from './readme.ts';
import { librariesOf, refusal, requirement, rewardNotes } from './reward/graders.ts';
import { rewardFile, type Reading } from './reward/rewardFile.ts';
import { heldOutRows, rowsAsJsonl, trainingRows, type HandoffRow } from './rows.ts';
import { handoffRun, type HandoffRun } from './settings/fate.ts';
import type { HandoffSystem } from './systems.ts';
import { trlFiles, type TrainerFiles } from './trl/trlFiles.ts';

/** Training problems that are written at most; trainers ask them again when they are through. */
export const MOST_ROWS = 20_000;
/** Room for a prompt longer than any that was looked at. */
const SPARE = 32;

export interface HandoffOptions {
  readonly system: HandoffSystem;
  /** In place of the run's, for one that is finished. */
  readonly numSteps?: number;
}

/** The run's settings and state. @throws HandoffError where there is no run that can go on. */
export function handedSettings({ runConfig, trainerState, model }: CheckpointParts, numSteps?: number) {
  if (runConfig === null || trainerState === null)
    throw new HandoffError(
      `${model.name} holds no run: settings and a step are needed. Train a step first, or name a run directory or a checkpoint; an export takes a model alone elsewhere.`,
    );
  const { sftLosses, step } = trainerState;
  if (sftLosses.length < runConfig.warmStartSteps)
    throw new HandoffError(
      `The run is inside its warm start (${sftLosses.length} of ${runConfig.warmStartSteps} updates), which other trainers do not go on with. Hand it over behind it.`,
    );
  const wanted = numSteps ?? (step < runConfig.numSteps ? runConfig.numSteps : 2 * runConfig.numSteps);
  if (wanted <= step)
    throw new HandoffError(
      `The run has made ${step} steps already, and ${wanted} are asked for; ask for more.`,
    );
  return { config: { ...runConfig, numSteps: wanted }, state: trainerState };
}

/** Why the run's tasks or its prompts can't be handed over; null where they can. */
export function handoffProblem(
  config: RunConfig,
  model: Pick<LoadedModel, 'tokenizer'>,
  system: HandoffSystem,
): string | null {
  for (const { task } of taskMix(config)) {
    const problem = refusal(task);
    if (problem !== null) return problem;
  }
  const colon =
    config.renderer === 'role_colon' || (config.renderer === 'auto' && !model.tokenizer.hasChatTemplate);
  if (colon)
    return 'The run asks by the renderer role_colon, whose answers end at a text ("User:"), which these trainers do not stop at. Hand over a run with a chat template.';
  if (config.rolloutsPerProblem < 2)
    return `The run samples ${config.rolloutsPerProblem} answer to each problem, and ${system} compares at least 2 (GRPO). Hand over a run with rollouts_per_problem of 2 or more.`;
  return null;
}

/** How answers are read: as the run's renderer does. */
function readingOf(config: RunConfig, tasks: readonly MixTask[], model: LoadedModel): Reading {
  const { tokenizer, stopTokenIds, stopStrings } = model;
  const thoughtScored = tasks.some(({ config: ofTask }) => ofTask['developer_prompt'] === 'think');
  const withoutThoughts = !thoughtScored && (config.thinking === 'on' || knowsThoughts(tokenizer));
  const prompt = withoutThoughts
    ? tokenizer.renderChat([{ role: 'user', content: '1' }], {
        addGenerationPrompt: true,
        enableThinking: config.thinking === 'on',
      })
    : '';
  return {
    stopTokens: stopTokenIds,
    turnEnd: tokenizer.turnEnd().find((id) => stopTokenIds.includes(id)) ?? null,
    stopStrings,
    withoutThoughts,
    beginsInThought: prompt.trimEnd().endsWith('<think>'),
  };
}

/** What is said beside the settings, whatever the trainer. */
function modelNotes(
  parts: CheckpointParts,
  config: RunConfig,
  state: TrainerState,
  rows: number,
  run: HandoffRun,
): string[] {
  const { stopTokenIds, tokenizer } = parts.model;
  const asked = run.stepsLeft * run.problems;
  return [
    `Training rows: ${rows}, the problems that this run would ask next${rows < asked ? `, of ${asked}; they come again when they are through` : ''}.`,
    ...(stopTokenIds.length > 1
      ? [
          `Answers end at the tokens ${stopTokenIds.join(', ')} here, and there, unless it reads generation_config.json, at ${tokenizer.eosTokenId} alone.`,
        ]
      : []),
    ...(state.position.again.length > 0
      ? [`${state.position.again.length} problems whose answers were thrown away here are not asked again.`]
      : []),
    ...(readsClock(createRenderer(config.renderer, parts.model), parts.model)
      ? ['The chat template says what time it is: there the clock’s, here that of the beginning of the run.']
      : []),
    ...(config.baseline === 'value' ? ['The value head stays behind.'] : []),
  ];
}

async function trainerFiles(
  run: HandoffRun,
  revision: string | null,
  system: HandoffSystem,
): Promise<TrainerFiles> {
  switch (system) {
    case 'trl':
      return trlFiles(run, revision);
    case 'verl':
      return (await import('./verl/verlFiles.ts')).verlFiles(run);
    case 'prime-rl':
      return (await import('./primeRl/primeRlFiles.ts')).primeRlFiles(run);
  }
}

/** prime-rl's taskset is a package that brings its rows and its reward along. */
const folderOfData = async (system: HandoffSystem): Promise<string> =>
  system === 'prime-rl' ? `${(await import('./primeRl/primeRlFiles.ts')).PACKAGE}/` : '';

async function dataFiles(
  system: HandoffSystem,
  train: readonly HandoffRow[],
  held: readonly HandoffRow[],
): Promise<Map<string, OpenFile>> {
  const below = await folderOfData(system);
  if (system !== 'verl')
    return new Map([
      [`${below}train.jsonl`, textFile(rowsAsJsonl(train))],
      [`${below}eval.jsonl`, textFile(rowsAsJsonl(held))],
    ]);
  const { rowsAsParquet } = await import('./verl/parquet.ts');
  return new Map([
    ['train.parquet', rowsAsParquet(train, 'train')],
    ['eval.parquet', rowsAsParquet(held, 'eval')],
  ]);
}

/**
 * The files by path, whose weights are calculated as they are read. Tasks of the user's own and rows of datasets must have been taken in.
 * @throws HandoffError with a sentence for the user where the run can't be handed over.
 */
export async function handoffFiles(
  parts: CheckpointParts,
  { system, numSteps }: HandoffOptions,
): Promise<Map<string, OpenFile>> {
  const { config, state } = handedSettings(parts, numSteps);
  const problem = handoffProblem(config, parts.model, system);
  if (problem !== null) throw new HandoffError(problem);
  const tasks = taskMix(config);
  const { promptStyle } = parts.model;
  const handed = handedModel(parts, system !== 'prime-rl');
  const renderer = rendererOf(config, parts.model, state.promptMoment);
  const facts = {
    step: state.step,
    promptTokens: longestPrompt(config, promptStyle, renderer) + SPARE,
    model: handed.model,
    adapter: handed.adapter,
    rows: 0,
    heldOut: 0,
    packages: librariesOf(tasks.map(({ task }) => task)).map(requirement),
  };
  const counted = handoffRun(config, facts);
  const count = Math.min(MOST_ROWS, counted.stepsLeft * counted.problems);
  const train = trainingRows(tasks, config, state, count, promptStyle);
  const held = heldOutRows(tasks, config, promptStyle);
  const run = handoffRun(config, { ...facts, rows: train.length, heldOut: held.length });
  const { texts, fates, notes, commands } = await trainerFiles(run, handed.revision, system);
  const rewards = rewardNotes(
    tasks.map(({ task }) => task),
    config.scoring,
  );
  const all = [...modelNotes(parts, config, state, train.length, run), ...rewards, ...notes];
  return new Map([
    ...handed.files,
    ...(system === 'trl' ? trainingFiles(parts) : []),
    ...(await dataFiles(system, train, held)),
    [
      `${await folderOfData(system)}reward.py`,
      textFile(rewardFile(tasks, config.scoring, readingOf(config, tasks, parts.model))),
    ],
    ...[...texts].map(([name, text]) => [name, textFile(text)] as const),
    ['not_carried.md', textFile(notCarried(system, fates, run, { notes: all }))],
    ['README.md', textFile(readmeText(system, run, commands, parts.model.name))],
  ]);
}
