import { useEffect, useMemo, useRef, useState } from 'react';
import { messageOf } from '../../base/errors.ts';
import { rewardOf } from '../../sandbox/scoreProgram.ts';
import type { Completion, Problem, Reward, ScoringSettings, Task } from '../../tasks/types.ts';
import { tryProgram } from '../custom/programs.ts';

/** Typing pauses this long before a program is run on what was typed. */
const TYPING_MILLISECONDS = 250;

export interface Calculation {
  /** Null until there is one, and where scoring raised an error. */
  readonly reward: Reward | null;
  readonly error: string | null;
  /** What a person's program wrote to its console. */
  readonly logs: readonly string[];
  /** A newer one is on its way. */
  readonly pending: boolean;
}

const NOTHING: Calculation = { reward: null, error: null, logs: [], pending: true };

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

/** The reward of one completion, kept up to date. Every argument has to keep its identity while it stays the same. */
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
  const item = useMemo(() => ({ problem, completion }), [problem, completion]);
  const [later, setLater] = useState<{ readonly of: unknown; readonly calculation: Calculation } | null>(
    null,
  );
  const asked = useMemo(() => ({ source, item }), [source, item]);
  const running = useRef<Promise<unknown>>(Promise.resolve());

  useEffect(() => {
    if (asked.source === null) return;
    const { source: program, item: what } = asked;
    let current = true;
    const score = async (): Promise<void> => {
      // One at a time, so that what was typed over in the meantime is never run.
      await running.current;
      if (!current) return;
      const work = tryProgram(program, what);
      running.current = work;
      const outcome = await work;
      if (!current) return;
      const reward = rewardOf(outcome);
      setLater({
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
  return later === null ? NOTHING : { ...later.calculation, pending: later.of !== asked };
}
