/** Between tasks and the sandbox: problems and completions in, rewards out. */
import type { ScoreProgram } from '../tasks/custom/customTask.ts';
import type { Reward, ScoredItem } from '../tasks/types.ts';
import type { Outcome } from './outcome.ts';
import type { Sandbox } from './sandbox.ts';

/** What a program is given, as JSON: problem { question, answer, index, split } and completion { text, tokens, stopReason }. */
export function itemJson({ problem, completion }: ScoredItem): string {
  const { question, answer, index, split } = problem;
  const { text, tokens, stopReason } = completion;
  return JSON.stringify({
    problem: { question, answer, index, split },
    completion: { text, tokens, stopReason },
  });
}

export function rewardOf(outcome: Outcome): Reward {
  if ('scored' in outcome) return outcome.scored;
  const { error } = outcome;
  return { total: 0, parts: { reward: 0 }, correct: false, format: false, extracted: null, error };
}

/** Runs programs in `sandbox`. */
export function scoreProgram(sandbox: Sandbox): ScoreProgram {
  return async (source, items) => {
    const outcomes = await sandbox.score(source, items.map(itemJson));
    return outcomes.map(rewardOf);
  };
}
