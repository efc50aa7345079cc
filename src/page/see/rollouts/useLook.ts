/** Asks the run's model something between two steps, once a question has stood for a moment. */
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import type { KeptWeights } from '@rl-playground/engine/parts';
import type { RunController } from '@rl-playground/run/session';
import type { RunConfig } from '@rl-playground/run/settings';
import { isBusy } from '../../run/state/phases.ts';
import { useRun } from '../../run/state/runStore.ts';

/** Milliseconds that a question rests before the model is asked, because the pointer passes over many tokens. */
const RESTS = 120;

/** A question put to the run; null is found where the run is not on the device and no settings are given. */
export type Look<Question, Found> = (
  controller: RunController,
  settings: RunConfig | null,
  question: Question,
  stored: KeptWeights | undefined,
) => Promise<Found | null>;

export type Asked<Found> =
  | { readonly state: 'found'; readonly found: Found }
  | { readonly state: 'failed'; readonly problem: string }
  /** The run is not on the device, and `ask` brings it there. */
  | { readonly state: 'absent'; readonly ask: (() => void) | null }
  /** The model is being asked, or will be after the step under way. */
  | { readonly state: 'asking'; readonly busy: boolean };

interface Answered<Question, Found> {
  readonly asked: Question;
  readonly found: Found | null;
  readonly problem: string | null;
}

/** `look` must not change. It is asked again after each step until `settled` says that no step changes the answer. */
export function useLook<Question, Found>(
  question: Question | null,
  look: Look<Question, Found>,
  settled: (found: Found) => boolean,
): Asked<Found> {
  const config = useRun((state) => state.snapshot.config);
  const at = useRun((state) => state.snapshot.step);
  const busy = useRun((state) => isBusy(state.snapshot.phase));
  const [answered, setAnswered] = useState<Answered<Question, Found> | null>(null);
  const [ask] = useState(() => async (asked: Question, settings: RunConfig | null): Promise<void> => {
    try {
      const { controller, kept } = useRun.getState();
      const found = controller && (await look(controller, settings, asked, kept?.weightsOf));
      setAnswered({ asked, found, problem: null });
    } catch (error) {
      setAnswered({ asked, found: null, problem: messageOf(error) });
    }
  });
  const current = question !== null && answered?.asked === question ? answered : null;
  const done = current?.found != null && settled(current.found);
  const [rested] = useDebouncedValue(question, RESTS);
  useEffect(() => {
    if (rested !== null && rested === question && at >= 0 && !done) void ask(rested, null);
  }, [rested, question, at, ask, done]);
  if (current === null || question === null) return { state: 'asking', busy };
  if (current.problem !== null) return { state: 'failed', problem: current.problem };
  if (current.found !== null) return { state: 'found', found: current.found };
  return { state: 'absent', ask: busy || config === null ? null : () => void ask(question, config) };
}
