/** Which of a step's rollouts the page lists, grouped by problem. */
import type { ScoredRollout } from '../../rl/types.ts';

export const ROLLOUT_FILTERS = ['all', 'correct', 'wrong', 'no_tag'] as const;
export type RolloutFilter = (typeof ROLLOUT_FILTERS)[number];

export interface ProblemGroup {
  readonly key: string;
  readonly question: string;
  readonly answer: string;
  /** Every rollout of the problem, in sampling order. */
  readonly all: readonly ScoredRollout[];
  /** Those that match the filter and fit the limit. */
  readonly shown: readonly ScoredRollout[];
}

export interface GroupedRollouts {
  readonly groups: readonly ProblemGroup[];
  readonly matching: number;
  readonly shown: number;
}

/** Whether one scored answer, of training or of evaluation, passes the filter. */
export function matchesFilter(
  scored: { readonly correct: boolean; readonly format: boolean },
  filter: RolloutFilter,
): boolean {
  if (filter === 'correct') return scored.correct;
  if (filter === 'wrong') return !scored.correct;
  return filter === 'all' || !scored.format;
}

/** Right and wrong answers in turn, each in sampling order: a short list then shows what the group disagrees on. */
export function alternating(rollouts: readonly ScoredRollout[]): ScoredRollout[] {
  const right = rollouts.filter((rollout) => rollout.reward.correct);
  const wrong = rollouts.filter((rollout) => !rollout.reward.correct);
  const mixed: ScoredRollout[] = [];
  for (let index = 0; index < Math.max(right.length, wrong.length); index++) {
    for (const rollout of [right[index], wrong[index]]) if (rollout !== undefined) mixed.push(rollout);
  }
  return mixed;
}

/** At most `limit` rollouts in all and `perGroup` of each problem; problems without a match are left out. */
export function groupRollouts(
  rollouts: readonly ScoredRollout[],
  filter: RolloutFilter,
  limit: number,
  perGroup: number,
): GroupedRollouts {
  const byProblem = new Map<string, ScoredRollout[]>();
  for (const rollout of rollouts) {
    const key = `${rollout.problem.task}/${rollout.problem.index}`;
    const group = byProblem.get(key);
    if (group === undefined) byProblem.set(key, [rollout]);
    else group.push(rollout);
  }
  const groups: ProblemGroup[] = [];
  let matching = 0;
  let shown = 0;
  for (const [key, all] of byProblem) {
    const matches = all.filter((rollout) => matchesFilter(rollout.reward, filter));
    matching += matches.length;
    const chosen = alternating(matches).slice(0, Math.min(perGroup, limit - shown));
    const first = chosen[0];
    if (first === undefined) continue;
    shown += chosen.length;
    groups.push({ key, question: first.question, answer: first.problem.answer, all, shown: chosen });
  }
  return { groups, matching, shown };
}
