/** A few answers to a few of a run's first problems, before anything is learned: what a step would meet. It changes nothing of the run. */
import type { RunConfig } from '../settings/schema/schema.ts';
import type { GenerateOptions } from '@rl-playground/engine/parts';
import type { StopReason } from '@rl-playground/base/conversation';
import type { Reward } from '@rl-playground/tasks/parts';
import type { EvaluationSubject } from './evaluate.ts';
import { completed, trainingSampling } from '../rollouts/rollout.ts';
import { rewardsOf } from './scoring.ts';
import { taskAt, trainingProblem } from './taskMix.ts';

export interface PreflightSize {
  readonly problems: number;
  /** The number of answers to each problem. */
  readonly answers: number;
}

export const PREFLIGHT: PreflightSize = { problems: 8, answers: 8 };
/** The fewer answers of a large model, which take it a few seconds. */
export const FIRST_MEETING: PreflightSize = { problems: 4, answers: 4 };

/** A number in place of training's step number, so that no draw is shared with training or evaluation. */
const PREFLIGHT_STREAM = 0x7ffffffe;

export interface PreflightAnswer {
  readonly text: string;
  readonly reward: Reward;
  readonly stopReason: StopReason;
  readonly tokens: number;
}

export interface PreflightSample {
  readonly answersPN: readonly (readonly PreflightAnswer[])[];
  readonly seconds: number;
}

export interface PreflightSubject extends EvaluationSubject {
  readonly config: RunConfig;
}

/** A place in the run's stream of problems: a problem, and the draws that its answers take. */
interface DrawnPlace {
  readonly index: number;
  readonly step: number;
}

/**
 * Scored answers to the training problems at `places`, by the generators' current weights, sampled as training samples. `levels`: the levels
 * of the curriculum; null without one. An answer that broke is left out.
 */
export async function answersAt(
  { config, tasks, renderer, promptStyle, engine }: Omit<PreflightSubject, 'now'>,
  levels: readonly number[] | null,
  places: readonly DrawnPlace[],
  samples: number,
  options: GenerateOptions = {},
): Promise<PreflightAnswer[][]> {
  const asked = places.map(({ index }) => {
    const { problem, taskIndex } = trainingProblem(tasks, levels, config.seed, index);
    const messages = taskAt(tasks, taskIndex).task.messages(problem, promptStyle);
    return { problem, taskIndex, promptIds: renderer.promptIds(messages) };
  });
  const groups = await engine.sample(
    asked.map(({ promptIds }, p) => ({
      promptIds,
      samples,
      seed: config.seed,
      step: places[p]?.step ?? NaN,
      problem: places[p]?.index ?? NaN,
    })),
    trainingSampling(config, renderer.stopStrings),
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
  return itemsPN.map((items) =>
    items.flatMap(({ completion: { text, tokens, stopReason } }): PreflightAnswer[] => {
      const reward = rewards.next().value;
      return reward === undefined ? [] : [{ text, reward, stopReason, tokens: tokens.length }];
    }),
  );
}

/** `levels`: the same as those of `answersAt`. */
export async function samplePreflight(
  subject: PreflightSubject,
  levels: readonly number[] | null,
  size: PreflightSize,
  options: GenerateOptions = {},
): Promise<PreflightSample> {
  const began = subject.now();
  const places = Array.from({ length: size.problems }, (_, index) => ({
    index,
    step: PREFLIGHT_STREAM,
  }));
  const answersPN = await answersAt(subject, levels, places, size.answers, options);
  return { answersPN, seconds: (subject.now() - began) / 1000 };
}
