/** A few answers to a few of a run's first problems, before anything is learned: what a step would meet. It changes nothing of the run. */
import type { RunConfig } from '../../config/schema.ts';
import type { Renderer } from '../../hub/renderers.ts';
import type { GenerateOptions } from '../../rollout/types.ts';
import type { PromptStyle, Reward, StopReason } from '../../tasks/types.ts';
import type { Engine } from '../engine/engine.ts';
import { completed } from './rollouts.ts';
import { rewardsOf } from './scoring.ts';
import { taskAt, trainingProblem, type MixTask } from './taskMix.ts';

/** Problems, and answers to each. */
export const PREFLIGHT = { problems: 8, answers: 8 } as const;

/** Stands where training has its step number, so that no draw is shared with training or evaluation. */
const PREFLIGHT_STREAM = 0x7ffffffe;

export interface PreflightAnswer {
  readonly text: string;
  readonly reward: Reward;
  readonly stopReason: StopReason;
  readonly tokens: number;
}

export interface PreflightSample {
  /** Of each problem. */
  readonly answersPN: readonly (readonly PreflightAnswer[])[];
  readonly seconds: number;
}

export interface PreflightSubject {
  readonly config: RunConfig;
  readonly tasks: readonly MixTask[];
  readonly renderer: Renderer;
  readonly promptStyle: PromptStyle;
  readonly engine: Pick<Engine, 'sample'>;
  readonly now: () => number;
}

/** By the generators' current weights, sampled as training samples. `levels`: of the curriculum; null without one. */
export async function samplePreflight(
  { config, tasks, renderer, promptStyle, engine, now }: PreflightSubject,
  levels: readonly number[] | null,
  options: GenerateOptions = {},
): Promise<PreflightSample> {
  const began = now();
  const { seed, temperature, topP, topK, minP, samplerNoise: logitNoise, maxTokens } = config;
  const asked = Array.from({ length: PREFLIGHT.problems }, (_, index) => {
    const { problem, taskIndex } = trainingProblem(tasks, levels, seed, index);
    const messages = taskAt(tasks, taskIndex).task.messages(problem, promptStyle);
    return { problem, taskIndex, promptIds: renderer.promptIds(messages) };
  });
  const groups = await engine.sample(
    asked.map(({ promptIds }, problem) => ({
      promptIds,
      samples: PREFLIGHT.answers,
      seed,
      step: PREFLIGHT_STREAM,
      problem,
    })),
    { temperature, topP, topK, minP, logitNoise, maxTokens, stop: renderer.stopStrings },
    options,
  );
  const itemsPN = asked.map(({ problem, taskIndex }, p) =>
    completed(groups[p]).map(({ tokens, stopReason }) => ({
      problem,
      taskIndex,
      completion: { tokens, ...renderer.textOf(tokens, stopReason) },
    })),
  );
  const rewards = (await rewardsOf(tasks, itemsPN.flat(), config.scoring)).values();
  const answersPN = itemsPN.map((items) =>
    items.flatMap(({ completion: { text, tokens, stopReason } }): PreflightAnswer[] => {
      const reward = rewards.next().value;
      return reward === undefined ? [] : [{ text, reward, stopReason, tokens: tokens.length }];
    }),
  );
  return { answersPN, seconds: (now() - began) / 1000 };
}
