/** Rewards for what was sampled, and the end of patience with a task's program that only fails. */
import { scoreItems } from '../../tasks/define.ts';
import type { Reward, ScoredItem, ScoringMode } from '../../tasks/types.ts';
import { partOf, scoringOf, type MixTask } from './taskMix.ts';

/** Failures of a task's program in a row, over steps, after which training makes no sense. */
export const MOST_PROGRAM_FAILURES = 16;

export interface ItemOfPart extends ScoredItem {
  /** Index of its task among those of the run. */
  readonly part: number;
}

/** The rewards of `items`, in order; each task is asked for all of its own at once. */
export async function rewardsOf(
  parts: readonly MixTask[],
  items: readonly ItemOfPart[],
  mode: ScoringMode,
): Promise<Reward[]> {
  const rewards = new Map<number, Reward | undefined>();
  for (const [part, asked] of parts.entries()) {
    const places = items.flatMap((item, place) => (item.part === part ? [place] : []));
    const own = places.flatMap((place) => items[place] ?? []);
    if (own.length === 0) continue;
    const scored = await scoreItems(asked.task, own, scoringOf(asked, mode));
    places.forEach((place, i) => rewards.set(place, scored[i]));
  }
  return items.map(({ part }, i) => {
    const reward = rewards.get(i);
    if (reward !== undefined) return reward;
    throw new Error(`${partOf(parts, part).task.name} gave no reward for answer ${i + 1}.`);
  });
}

/** The program of an own task fails again and again. Nothing was changed by the step that found out. */
export class ProgramFailing extends Error {
  constructor(failures: number, last: string) {
    super(
      `Your program failed for ${failures} answers in a row, so the step was not made. The last failure: ${last} ` +
        'Correct the program under "Your own task", try it in the reward calculator, and continue.',
    );
  }
}

/** Failures in a row at the end of `rewards`, going on from `before`. Throws `ProgramFailing` where they are too many. */
export function programFailures(before: number, rewards: readonly Reward[]): number {
  let failures = before;
  for (const { error } of rewards) {
    failures = error === undefined ? 0 : failures + 1;
    if (failures >= MOST_PROGRAM_FAILURES) throw new ProgramFailing(failures, error ?? '');
  }
  return failures;
}
