/** The files of a run for another trainer: model or adapter, data, reward, configuration, and all that could not be carried. */
import { problemsInStep, type RunConfig } from '@rl-playground/run/settings';
import {
  createRenderer,
  knowsThoughts,
  type LoadedModel,
  ModelFileError,
  type OpenFile,
} from '@rl-playground/engine/parts';
import { longestPrompt, type MixTask, readsClock, rendererOf, taskMix } from '@rl-playground/run/loop';
import type { CheckpointParts, TrainerState } from '@rl-playground/run/checkpoint';
import { handedModel, textFile, trainingFiles } from './modelFiles.ts';
import { notCarried } from './notCarried.ts';
import { readmeText } from './readme.ts';
import { applying, librariesOf, refusal, requirement, rewardNotes } from './reward/graders.ts';
import { rewardFile, type Reading } from './reward/rewardFile.ts';
import { heldOutRows, rowsAsJsonl, trainingRows, type HandoffRow } from './rows.ts';
import { PACKAGE, primeRlFiles } from './primeRl/primeRlFiles.ts';
import { handoffRun, type HandoffRun } from './settings/fate.ts';
import type { HandoffSystem } from './systems.ts';
import { trlFiles } from './trl/trlFiles.ts';
import { verlFiles } from './verl/verlFiles.ts';

/** The most training problems; trainers ask them again when they are through. */
export const MOST_ROWS = 20_000;
/** The tokens of room for prompts that are longer than any that was looked at. */
const SPARE = 32;

export interface HandoffOptions {
  readonly system: HandoffSystem;
  /** The number of steps in place of the run's own, for a run that is finished. */
  readonly numSteps?: number;
}

/** The run's settings and state. @throws ModelFileError if there is no run that can go on. */
export function handedSettings({ runConfig, trainerState, model }: CheckpointParts, numSteps?: number) {
  if (runConfig === null || trainerState === null)
    throw new ModelFileError(
      `${model.name} holds no run: settings and a step are needed. Train a step first, or name a run directory or a checkpoint; an export takes a model alone elsewhere.`,
    );
  const { sftLosses, step } = trainerState;
  if (sftLosses.length < runConfig.warmStartSteps)
    throw new ModelFileError(
      `The run is inside its warm-up (${sftLosses.length} of ${runConfig.warmStartSteps} updates), which other trainers do not continue. Hand it over after that.`,
    );
  const wanted = numSteps ?? (step < runConfig.numSteps ? runConfig.numSteps : 2 * runConfig.numSteps);
  if (wanted <= step)
    throw new ModelFileError(
      `The run has made ${step} steps already, and ${wanted} are asked for; ask for more.`,
    );
  return { config: { ...runConfig, numSteps: wanted }, state: trainerState };
}

/** The reason why the run's tasks or its prompts can't be handed over; null if they can. */
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

/** The run's rules for reading answers, which are its renderer's. */
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

/** The notes beside the settings that every trainer has. */
function modelNotes(parts: CheckpointParts, run: HandoffRun, state: TrainerState): string[] {
  const { config, rows } = run;
  const { stopTokenIds, tokenizer } = parts.model;
  const asked = run.stepsLeft * run.problems;
  const again = state.position.again.length;
  return applying([
    [
      true,
      `Training rows: ${rows}, the problems that this run would ask next${rows < asked ? `, of ${asked}; they come again when they are through` : ''}.`,
    ],
    [
      stopTokenIds.length > 1,
      `Answers end at the tokens ${stopTokenIds.join(', ')} here, and there, unless it reads generation_config.json, at ${tokenizer.eosTokenId} alone.`,
    ],
    [again > 0, `${again} problems whose answers were thrown away here are not asked again.`],
    [
      readsClock(createRenderer(config.renderer, parts.model), parts.model),
      'The chat template says what time it is: there the clock’s, here that of the beginning of the run.',
    ],
    [config.baseline === 'value', 'The value head is not handed over.'],
  ]);
}

const TRAINERS = { trl: trlFiles, verl: verlFiles, 'prime-rl': primeRlFiles } as const;

/** Rows and reward. prime-rl's taskset is a package that brings them along. */
async function dataFiles(
  system: HandoffSystem,
  train: readonly HandoffRow[],
  held: readonly HandoffRow[],
  reward: string,
): Promise<readonly (readonly [string, OpenFile])[]> {
  const folder = system === 'prime-rl' ? `${PACKAGE}/` : '';
  const scored = [`${folder}reward.py`, textFile(reward)] as const;
  if (system !== 'verl')
    return [
      [`${folder}train.jsonl`, textFile(rowsAsJsonl(train))],
      [`${folder}eval.jsonl`, textFile(rowsAsJsonl(held))],
      scored,
    ];
  const { rowsAsParquet } = await import('./parquet.ts');
  return [
    ['train.parquet', rowsAsParquet(train, 'train')],
    ['eval.parquet', rowsAsParquet(held, 'eval')],
    scored,
  ];
}

/**
 * The files by path, whose weights are calculated as they are read. Tasks of the user's own and rows of datasets must have been taken in.
 * @throws ModelFileError with a sentence for the user if the run can't be handed over.
 */
export async function handoffFiles(
  parts: CheckpointParts,
  { system, numSteps }: HandoffOptions,
): Promise<Map<string, OpenFile>> {
  const { config, state } = handedSettings(parts, numSteps);
  const problem = handoffProblem(config, parts.model, system);
  if (problem !== null) throw new ModelFileError(problem);
  const tasks = taskMix(config);
  const taskKinds = tasks.map(({ task }) => task);
  const { promptStyle } = parts.model;
  const handed = handedModel(parts, system !== 'prime-rl');
  const renderer = rendererOf(config, parts.model, state.promptMoment);
  const asked = (config.numSteps - state.step) * problemsInStep(config);
  const train = trainingRows(tasks, config, state, Math.min(MOST_ROWS, asked), promptStyle);
  const held = heldOutRows(tasks, config, promptStyle);
  const run = handoffRun(config, {
    step: state.step,
    promptTokens: longestPrompt(config, promptStyle, renderer) + SPARE,
    model: handed.model,
    adapter: handed.adapter,
    rows: train.length,
    heldOut: held.length,
    packages: librariesOf(taskKinds).map(requirement),
  });
  const reward = rewardFile(tasks, config.scoring, readingOf(config, tasks, parts.model));
  const files = TRAINERS[system](run, handed.revision);
  const notes = [...modelNotes(parts, run, state), ...rewardNotes(taskKinds, config.scoring), ...files.notes];
  return new Map([
    ...handed.files,
    ...(system === 'trl' ? trainingFiles(parts) : []),
    ...(await dataFiles(system, train, held, reward)),
    ...[...files.texts].map(([name, text]) => [name, textFile(text)] as const),
    ['not_carried.md', textFile(notCarried(system, files.fates, run, notes))],
    ['README.md', textFile(readmeText(system, run, files.commands, parts.model.name))],
  ]);
}
