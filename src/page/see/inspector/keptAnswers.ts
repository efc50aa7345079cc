/** The answers that the run's log keeps in its `rollouts.jsonl`. A file that is being written is read again with the next step. */
import { useCallback, useMemo } from 'react';
import { answersOf, type RecordedRollout } from '@rl-playground/run/records';
import { useRun } from '../../run/state/runStore.ts';
import { useLoaded, type Loaded } from '../../ui/draw/useLoaded.ts';

/** The steps whose answers the log keeps, in order. */
export function useKeptSteps(): Loaded<readonly number[]> {
  const controller = useRun((state) => state.controller);
  const newest = useRun((state) => state.snapshot.metrics.at(-1));
  const phase = useRun((state) => state.snapshot.phase);
  const read = useCallback(async () => (await controller?.run?.log.readableSteps()) ?? [], [controller]);
  return useLoaded(
    read,
    useMemo(() => [newest, phase], [newest, phase]),
  );
}

/** The answers of one step in the order of sampling. */
interface StepAnswers {
  readonly step: number | null;
  readonly answers: readonly RecordedRollout[];
}

export function useStepAnswers(step: number | null): Loaded<StepAnswers> {
  const controller = useRun((state) => state.controller);
  // A step that was made again has other metrics.
  const metrics = useRun(({ snapshot }) => snapshot.metrics.find((each) => each.step === step));
  const read = useCallback(async () => {
    const lines = step === null ? null : await controller?.run?.log.linesOf(step);
    return { step, answers: answersOf(lines ?? '') };
  }, [controller, step]);
  return useLoaded(read, metrics);
}
