/** Rewards for what was sampled, and the end of patience with a task's program that only fails. */
import type { Renderer } from '@rl-playground/engine/parts';
import { scoreItems, type Reward, type ScoredItem, type ScoringMode } from '@rl-playground/tasks/parts';
import { completed, type RolloutGroup } from '../rollouts/rollout.ts';
import { scoringOf, taskAt, type MixTask } from './taskMix.ts';

/** Failures of a task's program in a row, over steps, after which training makes no sense. */
export const MOST_PROGRAM_FAILURES = 16;

/** An answer to be scored, and the index of its task among those of the run. */
export type MixItem = ScoredItem & { readonly taskIndex: number };

/** The rewards of `items`, in order; each task is asked for all of its own at once. */
export async function rewardsOf(
  tasks: readonly MixTask[],
  items: readonly MixItem[],
  mode: ScoringMode,
): Promise<Reward[]> {
  const rewards = new Map<number, Reward | undefined>();
  for (const [taskIndex, mixTask] of tasks.entries()) {
    const places = items.flatMap((item, place) => (item.taskIndex === taskIndex ? [place] : []));
    const ofTask = places.flatMap((place) => items[place] ?? []);
    if (ofTask.length === 0) continue;
    const scored = await scoreItems(mixTask.task, ofTask, scoringOf(mixTask, mode));
    places.forEach((place, i) => rewards.set(place, scored[i]));
  }
  return items.map(({ taskIndex }, i) => {
    const reward = rewards.get(i);
    if (reward !== undefined) return reward;
    throw new Error(`${taskAt(tasks, taskIndex).task.name} gave no reward for answer ${i + 1}.`);
  });
}

/** The program of a custom task, or a reward model, fails again and again. Nothing was changed by the step that found out. */
export class ProgramFailing extends Error {
  /** A reward model fails, and not a program. */
  readonly ofModel: boolean;

  constructor(failures: number, last: Reward | undefined) {
    const ofModel = last?.ofModel === true;
    const advice = ofModel
      ? 'Press Train to try again; with another reward model a new run begins.'
      : 'Correct the program under "Your own task", try it in the reward calculator, and continue.';
    super(
      `${ofModel ? 'The reward model' : 'Your program'} failed for ${failures} answers in a row, so the step was cancelled. The last failure: ${last?.error ?? ''} ${advice}`,
    );
    this.ofModel = ofModel;
  }
}

/** Failures in a row at the end of `rewards`, going on from `before`. Throws `ProgramFailing` where they are too many. */
export function programFailures(before: number, rewards: readonly Reward[]): number {
  let failures = before;
  for (const reward of rewards) {
    failures = reward.error === undefined ? 0 : failures + 1;
    if (failures >= MOST_PROGRAM_FAILURES) throw new ProgramFailing(failures, reward);
  }
  return failures;
}

/** Scores the groups of a run's steps. */
export class GroupScorer {
  readonly #tasks: readonly MixTask[];
  readonly #renderer: Renderer;
  readonly #mode: ScoringMode;
  /** Failures in a row, over steps. */
  #programFailures = 0;

  constructor(tasks: readonly MixTask[], renderer: Renderer, mode: ScoringMode) {
    this.#tasks = tasks;
    this.#renderer = renderer;
    this.#mode = mode;
  }

  /**
   * The groups with a rollout for each completion that holds an answer, its advantage and what training sees still to come. `first`: index within
   * the step of the first of them; `version`: of the weights that will be trained. Throws `ProgramFailing` where a task's program does nothing but fail.
   */
  async score(groups: readonly RolloutGroup[], first: number, version: number): Promise<RolloutGroup[]> {
    const answersPG = groups.map(({ prompt, result }) =>
      completed(result).map(({ tokens, logprobs, stopReason }) => ({
        ...prompt,
        tokens,
        logprobs,
        ...this.#renderer.textOf(tokens, stopReason),
      })),
    );
    const items = answersPG.flat().map(({ problem, taskIndex, text, tokens, stopReason }) => ({
      problem,
      taskIndex,
      completion: { text, tokens, stopReason },
    }));
    const rewards = await rewardsOf(this.#tasks, items, this.#mode);
    this.#programFailures = programFailures(this.#programFailures, rewards);
    const next = rewards.values();
    return groups.map((group, p): RolloutGroup => {
      const { policyVersion, began, ended } = group.result;
      const rollouts = (answersPG[p] ?? []).flatMap((answer) => {
        const reward = next.next().value;
        if (reward === undefined) return [];
        return {
          ...answer,
          group: first + p,
          reward,
          advantages: [],
          advantage: 0,
          policyVersion,
          policyAge: version - policyVersion,
          samplingSeconds: (ended - began) / 1000,
          referenceWeight: 0,
          trained: null,
        };
      });
      return { ...group, rollouts };
    });
  }
}
