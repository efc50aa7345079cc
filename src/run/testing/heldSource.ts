/** A source of groups over generators that finish when a test says so. */
import { breathe } from '@rl-playground/engine/parts';
import { createSource } from '../schedules/schedule.ts';
import type { Place, Prompt, RolloutGroup } from '../rollouts/rollout.ts';
import type { GroupSource, SourceParts } from '../schedules/types.ts';
import type { Problem } from '@rl-playground/tasks/parts';
import { heldPool, type HeldPool } from '@rl-playground/engine/testing/heldPool';
import { samplerOf } from '@rl-playground/engine/testing/scriptedPool';

const SAMPLING = { temperature: 1, topP: 1, topK: 0, maxTokens: 8, stop: [] };

/** Problem i is the number i; its prompt is [i]. */
export function numbered(place: Place): Prompt {
  const { index } = place;
  const text = String(index);
  const problem: Problem = {
    task: 'numbers',
    split: 'train',
    index,
    question: text,
    compact: text,
    answer: text,
    data: {},
  };
  return { ...place, problem, taskIndex: 0, question: text, promptIds: [index] };
}

export interface HeldSource {
  readonly source: GroupSource;
  readonly pool: HeldPool;
}

export function heldSource(
  schedule: SourceParts['schedule'],
  { generators = 1, ...own }: Partial<SourceParts> & { readonly generators?: number } = {},
): HeldSource {
  const pool = heldPool(generators);
  const source = createSource({
    schedule,
    engine: samplerOf(pool),
    sampling: SAMPLING,
    seed: 5,
    problems: 4,
    samples: 2,
    maxStepsOffPolicy: 3,
    promptAt: numbered,
    position: { next: 0, again: [] },
    ...own,
  });
  return { source, pool };
}

/** A step that is being taken: what it has handed on so far, and its end. */
export interface Step {
  readonly groups: RolloutGroup[];
  /** True once it ended well; its error is thrown by whoever waits for it. */
  readonly ended: Promise<true>;
}

/** Publishes `version` as the training loop does, takes a step's groups one by one, and lets all that can happen at once happen. */
export async function takeStep(
  { source, pool }: HeldSource,
  step: number,
  version = step - 1,
  signal?: AbortSignal,
): Promise<Step> {
  await pool.setWeights(version, new Float32Array());
  const groups: RolloutGroup[] = [];
  const take = async (): Promise<true> => {
    for await (const group of source.groups(step, version, { signal })) groups.push(group);
    return true;
  };
  const ended = take();
  ended.catch(() => undefined);
  await breathe();
  return { groups, ended };
}

export const indicesOf = (groups: readonly RolloutGroup[]): number[] =>
  groups.map(({ prompt }) => prompt.index);
