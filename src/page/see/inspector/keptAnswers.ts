/** The answers that the run's log keeps in its `rollouts.jsonl`. */
import { useEffect, useMemo, useState } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { answersOf, type RecordedRollout, type RunLog } from '@rl-playground/run/records';
import { useRun } from '../../run/state/runStore.ts';

interface Asked {
  readonly step: number | null;
  /** Whatever else the log's answer depends on. */
  readonly of: unknown;
}

interface Found<T> {
  readonly found: T;
  /** The reason why the log could not be read, if it could not. */
  readonly problem: string | null;
}

/** Reads the run's log, and again with every other `asked`. The result is `nothing` until then, and without a run. */
function useLog<T>(read: (log: RunLog, asked: Asked) => Promise<T>, asked: Asked, nothing: T): Found<T> {
  const controller = useRun((state) => state.controller);
  const [state, setState] = useState<Found<T>>({ found: nothing, problem: null });
  useEffect(() => {
    let current = true;
    const log = controller?.run?.log ?? null;
    const reading = log === null ? Promise.resolve(nothing) : read(log, asked);
    reading.then(
      (found) => {
        if (current) setState({ found, problem: null });
      },
      (error: unknown) => {
        // A file that is being written is read again with the next step.
        if (current) setState(({ found }) => ({ found, problem: messageOf(error) }));
      },
    );
    return () => {
      current = false;
    };
  }, [controller, read, asked, nothing]);
  return state;
}

const NO_STEPS: readonly number[] = [];
const readSteps = (log: RunLog): Promise<readonly number[]> => log.readableSteps();

/** The steps whose answers the log keeps, in order. */
export function useKeptSteps(): Found<readonly number[]> {
  const newest = useRun((state) => state.snapshot.metrics.at(-1));
  const phase = useRun((state) => state.snapshot.phase);
  const asked = useMemo(() => ({ step: null, of: [newest, phase] }), [newest, phase]);
  return useLog(readSteps, asked, NO_STEPS);
}

/** The answers of one step in the order of sampling. */
interface StepAnswers {
  readonly step: number | null;
  readonly answers: readonly RecordedRollout[];
}

const NO_ANSWERS: StepAnswers = { step: null, answers: [] };

async function readAnswers(log: RunLog, { step }: Asked): Promise<StepAnswers> {
  const lines = step === null ? null : await log.linesOf(step);
  return { step, answers: answersOf(lines ?? '') };
}

export function useStepAnswers(step: number | null): Found<StepAnswers> {
  // A step that was made again has other metrics.
  const metrics = useRun(({ snapshot }) => snapshot.metrics.find((each) => each.step === step));
  const asked = useMemo(() => ({ step, of: metrics }), [step, metrics]);
  return useLog(readAnswers, asked, NO_ANSWERS);
}
