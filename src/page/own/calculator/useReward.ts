import { useDebouncedValue } from '@mantine/hooks';
import { useCallback, useMemo } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import {
  createSandbox,
  itemJson,
  rewardOf,
  type Sandbox,
  type Completion,
  type Problem,
  type Reward,
  type ScoredItem,
  type ScoringSettings,
  type Task,
} from '@rl-playground/tasks/parts';
import { useLoaded } from '../../ui/draw/useLoaded.ts';

/** Typing pauses this long before a program is run on what was typed. */
const TYPING_MILLISECONDS = 250;

export interface Calculation {
  /** The newest score; null before there is one, and after an error. */
  readonly reward: Reward | null;
  readonly error: string | null;
  /** The console output of the user's program. */
  readonly logs: readonly string[];
  /** A newer score is being calculated. */
  readonly pending: boolean;
}

const NOTHING: Calculation = { reward: null, error: null, logs: [], pending: true };

let sandbox: Sandbox | null = null;

let running: Promise<unknown> = Promise.resolve();
let newest: ScoredItem | null = null;

/**
 * Scores one answer in a sandbox of its own, so that typing never waits for a run's answers. One program runs at a time, and an answer that
 * was typed over meanwhile is not scored.
 */
async function tryProgram(source: string, item: ScoredItem): Promise<Calculation> {
  newest = item;
  await running;
  return newest === item ? scoredByProgram(source, item) : NOTHING;
}

/** Scores one answer when no other is being scored. */
export async function scoredByProgram(source: string, item: ScoredItem): Promise<Calculation> {
  await running;
  const work = (sandbox ??= createSandbox()).score(source, [itemJson(item)]);
  running = work.catch(() => undefined);
  const [outcome = { error: 'The program gave no result.', logs: [] }] = await work;
  const reward = rewardOf(outcome);
  return { reward, error: reward.error ?? null, logs: outcome.logs, pending: false };
}

function scoredNow(
  task: Task,
  problem: Problem,
  completion: Completion,
  settings: ScoringSettings,
): Calculation {
  try {
    return { ...NOTHING, reward: task.score(problem, completion, settings), pending: false };
  } catch (error) {
    return { ...NOTHING, error: messageOf(error), pending: false };
  }
}

/** The current reward of a completion. Arguments that stay the same must keep their identity. */
export function useReward(
  task: Task,
  problem: Problem,
  completion: Completion,
  settings: ScoringSettings,
): Calculation {
  const grader = task.definition?.grader;
  const source = grader?.kind === 'code' ? grader.source : null;
  const now = useMemo(
    () => (source === null ? scoredNow(task, problem, completion, settings) : null),
    [source, task, problem, completion, settings],
  );
  const asked = useMemo(() => ({ source, item: { problem, completion } }), [source, problem, completion]);
  const [rested] = useDebouncedValue(asked, TYPING_MILLISECONDS);
  const score = useCallback(
    async () => (rested.source === null ? null : tryProgram(rested.source, rested.item)),
    [rested],
  );
  const { value, stale } = useLoaded(score);
  if (now !== null) return now;
  return value === null ? NOTHING : { ...value, pending: stale || rested !== asked };
}
