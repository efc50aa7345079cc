/** The check of a hand-in: its own answers are scored again, then its run is made again beside the page's and held against it. */
import type { RunConfig } from '../settings/schema/schema.ts';
import { RunDriver } from '../session/driver.ts';
import { RunMachine } from '../session/runState.ts';
import type { Session } from '../session/session.ts';
import { ShownRun } from '../session/snapshot.ts';
import { differenceTells, firstDifference, unconfirmed, type HandIn, type Verdict } from './handIn.ts';
import { refutedByTexts } from './handInTexts.ts';

export interface Checking {
  /** Opens a session of these settings. */
  readonly open: (config: RunConfig, signal: AbortSignal) => Promise<Session>;
  /** The computation of this machine, which has to be the file's for a difference to tell. */
  readonly computation: () => string;
  /** Hears how many steps were made again and are the same. */
  readonly onStep: (agreed: number) => void;
  /** Lets others use the device between two steps. */
  readonly betweenSteps: () => Promise<void>;
  /** Breaks the check off. */
  readonly signal: AbortSignal;
}

/** Resolves to null where the check was broken off. @throws Error where the run can't be made here. */
export async function checkHandIn(handIn: HandIn, checking: Checking): Promise<Verdict | null> {
  const refuted = await refutedByTexts(handIn);
  if (refuted !== null) return { kind: 'refuted', difference: refuted };
  const { signal, open } = checking;
  const machine = new RunMachine();
  machine.apply({ type: 'begin' });
  const end = (): void => machine.want('pause', { atOnce: true });
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  let session: Session | null = null;
  try {
    session = await open(handIn.settings, machine.signal);
    machine.apply({ type: 'work', run: session });
    return await follow(handIn, session, machine, checking);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
    session?.dispose();
  }
}

/** Makes the run again, up to the first figure that differs or to the file's last step. */
async function follow(
  handIn: HandIn,
  session: Session,
  machine: RunMachine,
  { computation, onStep, betweenSteps, signal }: Checking,
): Promise<Verdict | null> {
  const { settings } = handIn;
  const wanted = handIn.metrics.length;
  let agreed = 0;
  const differs = (): Verdict | null => {
    const difference = firstDifference(handIn, session, agreed);
    if (difference === null) return null;
    return { kind: differenceTells(handIn, computation()) ? 'different' : 'undecided', difference };
  };
  let verdict: Verdict | null = null;
  const driver = new RunDriver(new ShownRun(), machine, { beginsWithPreflight: false });
  await driver.run(session, settings, Infinity, async () => {
    verdict = differs();
    agreed = session.metrics.length;
    if (verdict !== null) machine.want('pause');
    else {
      onStep(agreed);
      if (agreed >= wanted && wanted < settings.numSteps) machine.want('stop');
    }
    await betweenSteps();
  });
  verdict ??= differs();
  if (verdict !== null) return verdict;
  if (agreed < wanted) {
    if (signal.aborted) return null;
    throw new Error(`The run ended after step ${agreed} of ${wanted}. All steps so far are the same.`);
  }
  const missing = unconfirmed(handIn, session);
  return missing === null ? { kind: 'same' } : { kind: 'unconfirmed', difference: missing };
}
