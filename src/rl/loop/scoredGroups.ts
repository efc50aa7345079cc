/** From sampled groups to scored ones: text, reward, and the patience with failures. */
import type { Renderer } from '../../hub/renderers/index.ts';
import type { SampledCompletion } from '../../rollout/types.ts';
import type { Reward, ScoringMode, StopReason } from '../../tasks/types.ts';
import type { MixTask } from './taskMix.ts';
import { completed } from './failures.ts';
import type { AnsweredGroup, Asked } from '../schedules/types.ts';
import { programFailures, rewardsOf } from './scoring.ts';

export interface ScoredCompletion {
  readonly completion: SampledCompletion;
  readonly text: string;
  /** As the renderer reads it: an answer that ended with the renderer's own mark has stopped properly. */
  readonly stopReason: StopReason;
  readonly reward: Reward;
}

export interface ScoredGroup {
  readonly asked: Asked;
  readonly policyVersion: number;
  /** Seconds from the group's start to its last token. */
  readonly samplingSeconds: number;
  /** Completions that broke. */
  readonly errors: number;
  readonly completions: readonly ScoredCompletion[];
}

export class GroupScorer {
  readonly #tasks: readonly MixTask[];
  readonly #renderer: Renderer;
  readonly #mode: ScoringMode;
  /** Failures of a task's own program in a row, over steps. */
  #programFailures = 0;

  constructor(tasks: readonly MixTask[], renderer: Renderer, mode: ScoringMode) {
    this.#tasks = tasks;
    this.#renderer = renderer;
    this.#mode = mode;
  }

  /** Throws `ProgramFailing` where a task's program does nothing but fail. */
  async score(groups: readonly AnsweredGroup[]): Promise<ScoredGroup[]> {
    const answers = groups.map(({ asked, result }) =>
      completed(result).map((completion) => ({
        asked,
        completion,
        ...this.#renderer.textOf(completion.tokens, completion.stopReason),
      })),
    );
    const items = answers.flat().map(({ asked, completion: { tokens }, text, stopReason }) => ({
      problem: asked.problem,
      part: asked.part,
      question: asked.question,
      completion: { text, tokens, stopReason },
    }));
    const rewards = await rewardsOf(this.#tasks, items, this.#mode);
    this.#programFailures = programFailures(this.#programFailures, rewards);
    const next = rewards.values();
    return groups.map(({ asked, result }, p): ScoredGroup => {
      const completions = (answers[p] ?? []).flatMap(({ completion, text, stopReason }) => {
        const reward = next.next().value;
        return reward === undefined ? [] : [{ completion, text, stopReason, reward }];
      });
      return {
        asked,
        policyVersion: result.policyVersion,
        samplingSeconds: (result.ended - result.began) / 1000,
        errors: result.completions.length - completions.length,
        completions,
      };
    });
  }
}
