import { useEffect, useMemo, useRef, useState } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import {
  type Outcome,
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

/** Scores one answer in a sandbox of its own, so that typing never waits for a run's answers. */
async function tryProgram(source: string, item: ScoredItem): Promise<Outcome> {
  const [outcome] = await (sandbox ??= createSandbox()).score(source, [itemJson(item)]);
  return outcome ?? { error: 'The program gave no result.', logs: [] };
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
  const [scored, setScored] = useState<{ readonly of: unknown; readonly calculation: Calculation } | null>(
    null,
  );
  const asked = useMemo(() => ({ source, item: { problem, completion } }), [source, problem, completion]);
  const running = useRef<Promise<unknown>>(Promise.resolve());

  useEffect(() => {
    if (asked.source === null) return;
    const { source: program, item: what } = asked;
    let current = true;
    const score = async (): Promise<void> => {
      // One program runs at a time, so that a text that was typed over meanwhile is never scored.
      await running.current;
      if (!current) return;
      const work = tryProgram(program, what);
      running.current = work;
      const outcome = await work;
      if (!current) return;
      const reward = rewardOf(outcome);
      setScored({
        of: asked,
        calculation: { reward, error: reward.error ?? null, logs: outcome.logs, pending: false },
      });
    };
    const timer = setTimeout(() => void score(), TYPING_MILLISECONDS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [asked]);

  if (now !== null) return now;
  return scored === null ? NOTHING : { ...scored.calculation, pending: scored.of !== asked };
}
