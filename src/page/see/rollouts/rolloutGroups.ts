/** The rollouts of a step that the page lists, grouped by problem. */
import type { Rollout } from '@rl-playground/run/loop';

interface Scored {
  readonly correct: boolean;
  readonly format: boolean;
}

export const ROLLOUT_FILTERS = {
  all: { label: 'all answers', passes: () => true },
  correct: { label: 'right only', passes: ({ correct }: Scored) => correct },
  wrong: { label: 'wrong only', passes: ({ correct }: Scored) => !correct },
  noFormat: { label: 'wrong format', passes: ({ format }: Scored) => !format },
} as const;
export type RolloutFilter = keyof typeof ROLLOUT_FILTERS;

/** Rollouts of one problem with the same text, which are listed once. */
export interface DistinctAnswer {
  readonly rollout: Rollout;
  readonly times: number;
}

export interface ProblemGroup {
  readonly key: string;
  readonly question: string;
  readonly answer: string;
  readonly all: readonly Rollout[];
  /** The rollouts that match the filter and fit the limit. */
  readonly shown: readonly DistinctAnswer[];
}

export interface GroupedRollouts {
  readonly groups: readonly ProblemGroup[];
  /** The numbers of rollouts, not of distinct answers. */
  readonly matching: number;
  readonly shown: number;
}

/** Each different text once with its count, in the order of the first. */
export function distinctAnswers(rollouts: readonly Rollout[]): DistinctAnswer[] {
  const found = new Map<string, { rollout: Rollout; times: number }>();
  for (const rollout of rollouts) {
    const key = `${rollout.stopReason}:${rollout.text}`;
    const same = found.get(key);
    if (same === undefined) found.set(key, { rollout, times: 1 });
    else same.times += 1;
  }
  return [...found.values()];
}

/** Puts right and wrong answers in turn, so that a short list shows where the group disagrees. */
function alternating(answers: readonly DistinctAnswer[]): DistinctAnswer[] {
  const right = answers.filter((answer) => answer.rollout.reward.correct);
  const wrong = answers.filter((answer) => !answer.rollout.reward.correct);
  const mixed: DistinctAnswer[] = [];
  for (let index = 0; index < Math.max(right.length, wrong.length); index++) {
    for (const answer of [right[index], wrong[index]]) if (answer !== undefined) mixed.push(answer);
  }
  return mixed;
}

/** Groups at most `limit` distinct answers, `perGroup` of each problem. Problems without a match are left out. */
export function groupRollouts(
  rollouts: readonly Rollout[],
  filter: RolloutFilter,
  limit: number,
  perGroup: number,
): GroupedRollouts {
  const byProblem = new Map<string, Rollout[]>();
  for (const rollout of rollouts) {
    const key = `${rollout.problem.task}/${rollout.problem.index}`;
    const group = byProblem.get(key);
    if (group === undefined) byProblem.set(key, [rollout]);
    else group.push(rollout);
  }
  const groups: ProblemGroup[] = [];
  let matching = 0;
  let shown = 0;
  let listed = 0;
  for (const [key, all] of byProblem) {
    const matches = all.filter(({ reward }) => ROLLOUT_FILTERS[filter].passes(reward));
    matching += matches.length;
    const chosen = alternating(distinctAnswers(matches)).slice(0, Math.min(perGroup, limit - listed));
    const first = chosen[0]?.rollout;
    if (first === undefined) continue;
    listed += chosen.length;
    shown += chosen.reduce((sum, answer) => sum + answer.times, 0);
    groups.push({ key, question: first.question, answer: first.problem.answer, all, shown: chosen });
  }
  return { groups, matching, shown };
}
