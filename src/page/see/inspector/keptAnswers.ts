/** The answers of the steps that the run's log keeps, as they are in its `rollouts.jsonl`. */
import { useEffect, useMemo, useState } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { answersOf, type RecordedRollout, type RunLog } from '@rl-playground/run/records';
import { useRun } from '../../run/state/runStore.ts';
import type { TokenTerms } from '@rl-playground/run/inspect/terms';

interface Asked {
  /** Null for none. */
  readonly step: number | null;
  /** What else the log's answer hangs on. */
  readonly of: unknown;
}

interface Found<T> {
  readonly found: T;
  /** Why the log could not be read; null where it could. */
  readonly problem: string | null;
}

/** What `read` finds in the run's log, read again with every other `asked`. `nothing` is there until then, and without a run. */
function useLog<T>(read: (log: RunLog, asked: Asked) => Promise<T>, asked: Asked, nothing: T): Found<T> {
  const controller = useRun((state) => state.controller);
  const [state, setState] = useState<Found<T>>({ found: nothing, problem: null });
  useEffect(() => {
    let current = true;
    const log = controller?.runLog() ?? null;
    const reading = log === null ? Promise.resolve(nothing) : read(log, asked);
    reading.then(
      (found) => {
        if (current) setState({ found, problem: null });
      },
      (error: unknown) => {
        // What is read while the file is written is read again with the next step.
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

/** The steps whose answers can be looked at, in order. */
export function useKeptSteps(): Found<readonly number[]> {
  const newest = useRun((state) => state.snapshot.metrics.at(-1));
  const phase = useRun((state) => state.snapshot.phase);
  const asked = useMemo(() => ({ step: null, of: [newest, phase] }), [newest, phase]);
  return useLog(readSteps, asked, NO_STEPS);
}

/** The answers of one step, in the order in which they were sampled. */
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

const NONE: ReadonlyMap<number, TokenTerms> = new Map();

/** By place among `answers`, which are all of a step; empty while they are computed, and without what was left out of the update. */
export function useTerms(
  answers: readonly RecordedRollout[],
  places: readonly number[],
): ReadonlyMap<number, TokenTerms> {
  const config = useRun((state) => state.snapshot.config);
  const [found, setFound] = useState({ answers, terms: NONE });
  useEffect(() => {
    let wanted = true;
    const compute = async (): Promise<void> => {
      if (config === null || answers.length === 0) return;
      const { tokenTerms } = await import('@rl-playground/run/inspect/terms');
      const only = new Set(places.flatMap((place) => answers[place] ?? []));
      const all = await tokenTerms(answers, config, only);
      const terms = new Map(places.flatMap((place) => (all[place] ? [[place, all[place]] as const] : [])));
      if (wanted) setFound({ answers, terms });
    };
    void compute();
    return () => {
      wanted = false;
    };
  }, [config, answers, places]);
  return found.answers === answers ? found.terms : NONE;
}
