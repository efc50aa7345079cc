/** Chooses the answers of a step that tell most about its rewards. */
import type { EvalSample, Rollout } from '@rl-playground/run/loop';
import type { Reward } from '@rl-playground/tasks/parts';
import { distinctAnswers } from '../rollouts/rolloutGroups.ts';

export interface ShownAnswer {
  readonly asked?: string;
  readonly text: string;
  readonly correct: boolean;
  /** The answer that was read from the text; null where none was found. */
  readonly read: string | null;
  readonly reward: Pick<Reward, 'total' | 'parts' | 'reason'>;
}

interface TellingAnswers {
  /** The question that all answers share; null if each answer has a question of its own. */
  readonly asked: {
    readonly question: string;
    readonly truth: string;
    readonly promptIds: readonly number[];
  } | null;
  readonly answers: readonly ShownAnswer[];
}

const MOST = 3;

/**
 * Chooses a group whose rewards differ, if possible with three different answers, and shows its best answer, its worst, and one with another
 * reason. A group of fewer different answers shows one twice. Null without rollouts.
 */
export function tellingAnswers(rollouts: readonly Rollout[]): TellingAnswers | null {
  const all = [...new Set(rollouts.map(({ group }) => group))].map((group) =>
    rollouts.filter((rollout) => rollout.group === group),
  );
  const telling = all.filter((group) => group.some(({ reward }) => reward.total !== group[0]?.reward.total));
  const chosen = telling.find((group) => distinctAnswers(group).length >= MOST) ?? telling[0] ?? all[0];
  const [first] = chosen ?? [];
  if (chosen === undefined || first === undefined) return null;
  const distinct = distinctAnswers(chosen)
    .map(({ rollout }) => rollout)
    .toSorted((a, b) => b.reward.total - a.reward.total);
  const picked = distinct.slice(0, 1);
  const others = distinct.slice(1).toReversed();
  while (picked.length < MOST && others.length > 0) {
    const fresh = others.findIndex(({ reward }) =>
      picked.every((each) => each.reward.reason !== reward.reason),
    );
    picked.push(...others.splice(Math.max(0, fresh), 1));
  }
  picked.push(...chosen.filter((rollout) => !picked.includes(rollout)).slice(0, MOST - picked.length));
  return {
    asked: { question: first.question, truth: first.problem.answer, promptIds: first.promptIds },
    answers: picked.map(({ text, reward }) => ({
      text,
      correct: reward.correct,
      read: reward.extracted,
      reward,
    })),
  };
}

/** The marks that graders read an answer behind. */
const MARKS = /\[ANSWER\]|<answer>|\\boxed\{|answer:/gi;

/** The place of the answer that was read: behind the first mark that it follows, else the last one in the text; −1 where there is none. */
function placeOf(text: string, read: string | null): number {
  if (read === null || read === '') return -1;
  for (const { index, 0: mark } of text.matchAll(MARKS)) {
    const behind = text.slice(index + mark.length);
    if (behind.trimStart().startsWith(read)) return text.length - behind.trimStart().length;
  }
  return text.lastIndexOf(read);
}

const MOST_LINES = 2;
const MOST_CHARACTERS = 110;

/** The end of an answer up to the line that its judged part is in, which is what a preview has room for: two short lines. */
export function judgedPart(text: string, read: string | null): string {
  const at = placeOf(text, read);
  const lineEnd = at < 0 ? -1 : text.indexOf('\n', at + (read?.length ?? 0));
  const whole = (lineEnd < 0 ? text : text.slice(0, lineEnd)).trimEnd();
  const shown = whole.split(/\n+/).slice(-MOST_LINES).join('\n').slice(-MOST_CHARACTERS);
  const after = text.slice(whole.length).trim() === '' ? '' : '…';
  return `${shown.length < whole.length ? '…' : ''}${shown}${after}`;
}

/** The first few answers of an evaluation, each to a problem of its own. */
export function evaluatedAnswers(samples: readonly EvalSample[]): TellingAnswers | null {
  const answers = samples.flatMap(({ question, text, correct, extracted, reward }) =>
    reward === undefined ? [] : [{ asked: question, text, correct, read: extracted, reward }],
  );
  return answers.length === 0 ? null : { asked: null, answers: answers.slice(0, MOST) };
}
