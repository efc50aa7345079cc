/** Actions on the runs that this browser keeps. */
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
import { keepPastWeights, showKept, present, useKept } from './keptStore.ts';
import { changeLabel, forgetLabel, nameOf, readLabels } from './labels.ts';

/** The page names the oldest run once this share of the browser's quota is used. */
const NEARLY_FULL = 0.8;

export async function listKept(): Promise<void> {
  const { kept } = useRun.getState();
  if (kept === null) return;
  try {
    const [runs, storage] = await Promise.all([kept.list(), storageNow(), readLabels()]);
    showKept({ runs, storage });
  } catch {
    // Without a private file system no run is kept.
    showKept({ runs: [], storage: null });
  }
}

/** Deletes the files of runs that were deleted during an earlier visit. */
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

/** Offers the newest run once, and keeps the list up to date except while a run works. */
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

/** The browser asks before the page is left, as long as that would lose steps of the run. */
function askBeforeLeaving(kept: KeptRuns): void {
  window.addEventListener('beforeunload', (event) => {
    if (kept.unsaved()) event.preventDefault();
  });
}

function warnWhenNearlyFull(): void {
  const { storage, labels, ...state } = useKept.getState();
  const oldest = present({ labels, ...state }).at(-1);
  if (storage === null || oldest === undefined || storage.used < NEARLY_FULL * storage.quota) return;
  addNotice({
    id: 'storage',
    kind: 'warning',
    title: 'The browser’s storage is almost full',
    text: `${bytesText(storage.used)} of ${bytesText(storage.quota)} are used. When it is full, the page can’t keep more runs. Delete runs that you no longer need from the list. The oldest one is ${nameOf(oldest.run, labels)}, ${oldest.newest.task} at step ${oldest.newest.step}, and takes ${bytesText(oldest.bytes)}.`,
  });
}

async function withRun(
  kept: KeptRun,
  title: string,
  act: (runs: KeptRuns) => Promise<unknown>,
): Promise<void> {
  const { kept: runs } = useRun.getState();
  if (runs === null) return;
  showKept({ busy: kept.run });
  try {
    await act(runs);
  } catch (error) {
    reportError(title, error, 'The current run is unchanged.');
  } finally {
    showKept({ busy: null });
    await listKept();
  }
}

/** Continues a kept run. A run that another tab writes is only followed. */
export async function openKeptRun(kept: KeptRun): Promise<void> {
  const { controller, snapshot } = useRun.getState();
  if (controller === null || !canStart(snapshot)) return;
  const question = { loses: 'Opening another run replaces it', anyway: 'Open anyway' };
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

/** Marks a run as deleted. Its files stay until the page is next opened, so that this can be undone. */
export async function deleteKeptRun({ run }: KeptRun): Promise<void> {
  await changeLabel(run, { deleted: Date.now() });
}

export async function undoDelete({ run }: KeptRun): Promise<void> {
  await changeLabel(run, { deleted: undefined });
}

export async function deleteForGood(kept: KeptRun): Promise<void> {
  await withRun(kept, 'The run was not deleted', (runs) => runs.remove(kept));
  const { runs } = useKept.getState();
  if (runs.every(({ run }) => run !== kept.run)) await forgetLabel(kept.run);
}

const ASIDE = 'put-aside';

/** Puts the current run aside, after a question if its last steps are not kept. The run stays in the list, and a click opens it again. */
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
    title: 'Reset',
    text: `${nameOf(kept.run, useKept.getState().labels)} (step ${kept.newest.step}) is still under Runs.`,
    action: { label: 'Undo the reset', act: () => void openKeptRun(kept) },
  });
}

/** Stores whether the weights of past steps are kept. Weights that are no longer wanted are deleted at once. */
export async function setPastWeights(on: boolean): Promise<void> {
  keepPastWeights(on);
  await useRun
    .getState()
    .kept?.keepPastWeights(on)
    .catch((error: unknown) =>
      reportError('The weights of past steps were not deleted', error, 'Try again, or delete the run.'),
    );
  await listKept();
}
