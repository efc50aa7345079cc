/** A model that scores answers, beside a task's grader or instead of it. The page brings it; a run knows it by name alone. */
import type { RunConfig } from '../settings/schema/schema.ts';
import type { RunProblem } from '../data/taskRows.ts';

export type RewardPipeline = RunConfig['rewardPipeline'];

/** An answer, and the text that its embedding is compared with. */
export interface AskedText {
  readonly text: string;
  readonly reference: string;
}

/** The score of an answer, or the reason why it has none. */
export type ScoreOutcome = { readonly score: number } | { readonly error: string };

export interface RewardQuestion {
  readonly pipeline: RewardPipeline;
  /** The label that is rewarded. */
  readonly label: string;
}

export interface RewardModel {
  /** The name that settings have. */
  readonly name: string;
  /** The size of its files. */
  readonly bytes: number;
  /** Loads it, where it is not loaded for this pipeline, and returns the labels that it tells apart; none where it takes any. */
  prepare(question: RewardQuestion): Promise<readonly string[]>;
  /** Scores every text, in order. It never rejects: what fails is an outcome. */
  score(items: readonly AskedText[], question: RewardQuestion): Promise<ScoreOutcome[]>;
}

let provided: RewardModel | null = null;

/** Gives runs their reward model in place of any other. */
export function provideRewardModel(model: RewardModel | null): void {
  provided = model;
}

/** The bytes of the files of a run's reward model; 0 where it has none, or has one that is not here. */
export const rewardModelBytes = ({ rewardModel }: Pick<RunConfig, 'rewardModel'>): number =>
  rewardModel !== '' && provided?.name === rewardModel ? provided.bytes : 0;

type Settings = Pick<RunConfig, 'rewardModel' | 'rewardPipeline' | 'rewardLabel'>;

export const questionOf = ({ rewardPipeline, rewardLabel }: Settings): RewardQuestion => ({
  pipeline: rewardPipeline,
  label: rewardLabel,
});

/** The problem that a run's reward model is not here; null where it is, or the run has none. */
export function rewardModelProblem({ rewardModel }: Pick<RunConfig, 'rewardModel'>): RunProblem | null {
  if (rewardModel === '' || provided?.name === rewardModel) return null;
  return {
    cause: 'reward',
    title: `The reward model ${rewardModel} is not loaded`,
    text: 'Load it under More settings, Reward model, from the Hub or from a folder. On the command line, name it with --reward-model.',
  };
}

/** The model of a run's settings. @throws Error where the page has another or none */
export function rewardModelOf(config: Settings): RewardModel {
  const problem = rewardModelProblem(config);
  if (provided !== null && problem === null) return provided;
  throw new Error(problem === null ? 'The run has no reward model.' : `${problem.title}. ${problem.text}`);
}

/** The reason why a model with these labels can't reward the label of the settings, or null. */
export function labelProblem(labels: readonly string[], { pipeline, label }: RewardQuestion): string | null {
  if (pipeline === 'feature-extraction') return null;
  if (pipeline === 'zero-shot-classification')
    return label === '' ? 'There is no label to reward. Write one, such as "polite".' : null;
  if (labels.includes(label) || (label === '' && labels.length === 1)) return null;
  const has = `it has ${labels.slice(0, 20).join(', ')}`;
  return label === ''
    ? `There is no label to reward; ${has}. Choose one of them.`
    : `The model has no label "${label}"; ${has}. Choose one of them.`;
}

/** Loads the reward model of a run that has one, before anything is sampled. @throws Error with what to do */
export async function prepareRewardModel(config: Settings): Promise<void> {
  if (config.rewardModel === '') return;
  const question = questionOf(config);
  const problem = labelProblem(await rewardModelOf(config).prepare(question), question);
  if (problem !== null) throw new Error(`Reward model ${config.rewardModel}: ${problem}`);
}
