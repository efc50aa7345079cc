/** What the page does with runs that this browser keeps. */
import { storageNow } from '@rl-playground/base/privateFiles';
import { bytesText } from '@rl-playground/base/text';
import type { KeptRuns } from '@rl-playground/run/kept/keptRuns';
import type { RunController } from '@rl-playground/run/session';
import { reset, unlessUnsaved } from '../../run/actions/actions.ts';
import { canStart, isBusy } from '../../run/state/phases.ts';
import type { KeptRun } from '@rl-playground/run/kept';
import { takeForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { setOpen, addNotice, removeNotice, reportError } from '../../ui/open/openStore.ts';
import { markBusy, showKept, present, useKept } from './keptStore.ts';
import { changeLabel, forgetLabel, nameOf, readLabels } from './labels.ts';

/** Share of the browser's quota from which on the oldest runs are offered for deletion. */
const NEARLY_FULL = 0.8;

/** Reads the list again. */
export async function listKept(): Promise<void> {
  const { kept } = useRun.getState();
  if (kept === null) return;
  try {
    const [runs, storage] = await Promise.all([kept.list(), storageNow(), readLabels()]);
    showKept({ runs, storage });
  } catch {
    // Without a private file system there are none.
    showKept({ runs: [], storage: null });
  }
}

/** What was deleted before the page was opened goes for good. */
async function emptyBin(keptRuns: KeptRuns): Promise<void> {
  const { runs, labels } = useKept.getState();
  const deleted = runs.filter(({ run, claimed }) => labels[run]?.deleted !== undefined && !claimed);
  for (const kept of deleted) {
    await keptRuns.remove(kept).then(
      () => forgetLabel(kept.run),
      () => undefined,
    );
  }
  if (deleted.length > 0) await listKept();
}

/** Offers the newest run, once, when the page has opened; lists all again as they change, but not while a run works. */
export async function watchKept(controller: RunController, kept: KeptRuns): Promise<void> {
  askBeforeLeaving(kept);
  kept.onChange(() => {
    if (!isBusy(controller.snapshot().phase)) void listKept().then(warnWhenNearlyFull);
  });
  let current = controller.snapshot().run;
  controller.subscribe(() => {
    const { run } = controller.snapshot();
    if (run === current) return;
    // Which runs are open in a tab has changed.
    current = run;
    void listKept();
  });
  await listKept();
  await emptyBin(kept);
  if (present(useKept.getState()).length > 0) setOpen('keptOffer');
}

/** Asks before the page is left, while that would cost work of the run. */
function askBeforeLeaving(kept: KeptRuns): void {
  window.addEventListener('beforeunload', (event) => {
    if (kept.unsaved()) event.preventDefault();
  });
}

/** Names the oldest run where the browser's storage fills up. */
function warnWhenNearlyFull(): void {
  const { storage, labels, ...state } = useKept.getState();
  const oldest = present({ labels, ...state }).at(-1);
  if (storage === null || oldest === undefined || storage.used < NEARLY_FULL * storage.quota) return;
  addNotice({
    id: 'storage',
    kind: 'warning',
    title: 'The browser’s storage fills up',
    text: `${bytesText(storage.used)} of ${bytesText(storage.quota)} are used. When it is full, runs are kept no longer. Delete what you no longer need from the list of runs, the oldest first: ${nameOf(oldest.run, labels)}, ${oldest.newest.task} at step ${oldest.newest.step}, takes ${bytesText(oldest.bytes)}.`,
  });
}

async function withRun(
  kept: KeptRun,
  title: string,
  act: (runs: KeptRuns) => Promise<unknown>,
): Promise<void> {
  const { kept: runs } = useRun.getState();
  if (runs === null) return;
  markBusy(kept.run);
  try {
    await act(runs);
  } catch (error) {
    reportError(title, error, 'The current run is as it was.');
  } finally {
    markBusy(null);
    await listKept();
  }
}

/** Goes on with it, or reads along where another tab writes it. */
export async function openKeptRun(kept: KeptRun): Promise<void> {
  const { controller, snapshot } = useRun.getState();
  if (controller === null || !canStart(snapshot)) return;
  const question = { loses: 'The one that is opened takes its place', anyway: 'Open anyway' };
  await unlessUnsaved(controller, question, () => takeUp(kept));
}

async function takeUp(kept: KeptRun): Promise<void> {
  await withRun(kept, 'The run could not be opened', async (runs) => {
    const settings = await (kept.claimed ? runs.follow(kept) : runs.continue(kept));
    if (settings === null) return;
    takeForm((form) => ({ ...form, ...settings }));
    removeNotice(ASIDE);
    setOpen('keptOffer', false);
  });
}

/** Takes it from the list. Its files stay until the page is next opened, so that it can be taken back. */
export async function deleteKeptRun({ run }: KeptRun): Promise<void> {
  await changeLabel(run, { deleted: Date.now() });
}

export async function undoDelete({ run }: KeptRun): Promise<void> {
  await changeLabel(run, { deleted: undefined });
}

/** Its files go at once. */
export async function deleteForGood(kept: KeptRun): Promise<void> {
  await withRun(kept, 'The run was not deleted', (runs) => runs.remove(kept));
  const { runs } = useKept.getState();
  if (runs.every(({ run }) => run !== kept.run)) await forgetLabel(kept.run);
}

const ASIDE = 'put-aside';

/** Puts the current run aside: it stays in the list, and a click brings it back. One that is not kept as it stands is asked about first. */
export async function resetRun(): Promise<void> {
  const { controller } = useRun.getState();
  if (controller === null) return;
  await unlessUnsaved(controller, { loses: 'A reset deletes it', anyway: 'Reset anyway' }, putAside);
}

async function putAside(): Promise<void> {
  const { controller } = useRun.getState();
  if (controller === null) return;
  const { run } = controller.snapshot();
  await reset();
  await listKept();
  const kept = useKept.getState().runs.find((each) => each.run === run);
  if (kept === undefined || controller.snapshot().phase !== 'idle') return;
  addNotice({
    id: ASIDE,
    kind: 'info',
    title: `${nameOf(kept.run, useKept.getState().labels)} was put aside`,
    text: `It stays in the list of runs, as it was at step ${kept.newest.step}.`,
    action: { label: 'Undo the reset', act: () => void openKeptRun(kept) },
  });
}
