/** Writes a finished run as a hand-in, and checks a hand-in by making its run again. */
import { messageOf } from '@rl-playground/base/errors';
import { bytesText, plural } from '@rl-playground/base/text';
import { computationOf } from '@rl-playground/run/environment/computation';
import {
  differenceTells,
  firstDifference,
  LARGEST_HAND_IN,
  readHandIn,
  unconfirmed,
  writeHandIn,
  type HandIn,
  refutedByTexts,
} from '@rl-playground/run/handIn';
import { customTasksOf } from '@rl-playground/run/data';
import type { RunController, RunSnapshot } from '@rl-playground/run/session';
import { ANOTHER_RUN, unlessUnsaved } from '../../run/actions/actions.ts';
import { adoptCustomTasks } from '../../run/tasks/library.ts';
import { saveFile } from '../../ui/files/saveDownload.ts';
import { takeForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { forgetHandIn, type Verdict, changeHandIn, useKept } from '../kept/keptStore.ts';

/** The name of the page's backend, in the words that joining machines use. */
const computation = ({ backend }: RunSnapshot): string => computationOf(backend?.line ?? '');

/** The reason why the run can't be handed in. */
export function notToHandIn({ phase, config, metrics, modelIsOurs }: RunSnapshot): string | null {
  if (config === null || metrics.length === 0) return 'There is no run yet. Train one first.';
  if (phase !== 'finished' && phase !== 'stopped') return 'The run has to end first.';
  if (!modelIsOurs)
    return 'The run began from a model that was loaded, which the file does not hold. Hand in its “Run directory” from the Export menu instead.';
  return null;
}

export function saveHandIn(learner: string): void {
  const { controller } = useRun.getState();
  if (controller === null) return;
  const snapshot = controller.snapshot();
  const { config, metrics, evaluations } = snapshot;
  if (config === null) return;
  const text = writeHandIn(learner, computation(snapshot), {
    config,
    customTasks: customTasksOf(config),
    metrics,
    evaluations,
  });
  const name = learner.replaceAll(/[^\p{L}\p{N}-]+/gu, '-').replaceAll(/^-|-$/g, '');
  saveFile({
    filename: `hand-in-${name === '' ? config.task : name}.json`,
    blob: new Blob([text], { type: 'application/json' }),
  });
}

/** Reads a hand-in. The store holds what is wrong with it. */
export async function openHandIn(file: File): Promise<void> {
  forgetHandIn();
  try {
    if (file.size > LARGEST_HAND_IN)
      throw new Error(`It has ${bytesText(file.size)}; a hand-in has at most ${bytesText(LARGEST_HAND_IN)}.`);
    changeHandIn({ handIn: readHandIn(await file.text()) });
  } catch (error) {
    changeHandIn({ problem: `${file.name} can’t be checked: ${messageOf(error)}` });
  }
}

/** The reason why a run can't be made again now. */
export function notToReplay({ phase, step, modelIsOurs }: RunSnapshot): string | null {
  if (!modelIsOurs) return 'A model of your own is loaded. Open this page anew, then check the file there.';
  const free = phase === 'finished' || phase === 'failed' || (phase === 'idle' && step === 0);
  return free
    ? null
    : 'A run is not finished on this page. Let it end, or press Reset, which keeps it in the list.';
}

/** The first difference from step `from` on; null: the repeated run agrees with the file so far. */
function disagreementOf(handIn: HandIn, snapshot: RunSnapshot, from = 0): Verdict | null {
  const difference = firstDifference(handIn, snapshot, from);
  if (difference === null) return null;
  return { kind: differenceTells(handIn, computation(snapshot)) ? 'different' : 'undecided', difference };
}

/** Scores the answers of the file. If they agree, the page makes the run again, and stops at the first figure that differs. */
export async function replayHandIn(): Promise<void> {
  const { handIn } = useKept.getState().handIn;
  const { controller } = useRun.getState();
  if (handIn === null || controller === null) return;
  await unlessUnsaved(controller, ANOTHER_RUN, () => makeAgain(handIn, controller));
}

async function makeAgain(handIn: HandIn, controller: RunController): Promise<void> {
  // A second click can come while the page is still asking about the unsaved run.
  if (useKept.getState().handIn.replaying) return;
  const wanted = handIn.metrics.length;
  changeHandIn({ replaying: true, agreed: 0, verdict: null, problem: null });
  let stopped = false;
  const stop = (): void => {
    if (!stopped) controller.stop();
    stopped = true;
  };
  const look = (): void => {
    const { agreed, verdict } = useKept.getState().handIn;
    const snapshot = controller.snapshot();
    // Until training begins, the snapshot still shows the last run.
    if (verdict !== null || snapshot.phase !== 'training') return;
    const disagreement = disagreementOf(handIn, snapshot, agreed);
    if (disagreement !== null) {
      changeHandIn({ verdict: disagreement });
      stop();
    } else {
      changeHandIn({ agreed: Math.min(wanted, snapshot.metrics.length) });
      if (snapshot.metrics.length >= wanted && wanted < handIn.settings.numSteps) stop();
    }
  };
  try {
    await adoptCustomTasks(handIn.customTasks);
    const difference = await refutedByTexts(handIn);
    if (difference !== null) {
      changeHandIn({ verdict: { kind: 'refuted', difference } });
      return;
    }
    takeForm(() => handIn.settings);
    const training = controller.train(handIn.settings);
    const unsubscribe = controller.subscribe(look);
    await training.finally(unsubscribe);
    conclude(handIn, controller.snapshot());
  } catch (error) {
    changeHandIn({ problem: `The run could not be made again: ${messageOf(error)}` });
  } finally {
    changeHandIn({ replaying: false });
  }
}

/** The verdict on a repeated run that has ended. */
function conclude(handIn: HandIn, snapshot: RunSnapshot): void {
  if (useKept.getState().handIn.verdict !== null) return;
  const disagreement = disagreementOf(handIn, snapshot);
  const missing = unconfirmed(handIn, snapshot);
  if (disagreement !== null) changeHandIn({ verdict: disagreement });
  else if (snapshot.metrics.length >= handIn.metrics.length)
    changeHandIn({
      agreed: handIn.metrics.length,
      verdict: missing === null ? { kind: 'same' } : { kind: 'unconfirmed', difference: missing },
    });
  else
    changeHandIn({
      problem: `The run ended after ${plural(snapshot.metrics.length, 'step')}, which are the same; the hand-in has ${handIn.metrics.length}. Check it again to go over all of them.`,
    });
}
