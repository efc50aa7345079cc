/** What the page does with runs that this browser keeps. */
import { bytesText } from '../../base/text.ts';
import type { KeptRun } from '../../run/kept/runStore.ts';
import type { RunController } from '../../run/types.ts';
import { addNotice, changeForm, reportError } from '../actions.ts';
import { canStart, isBusy } from '../transport/phases.ts';
import { useApp } from '../store.ts';
import { useKept, type KeptState } from './keptStore.ts';

/** Share of the browser's quota from which on the oldest runs are offered for deletion. */
const NEARLY_FULL = 0.8;

async function storageNow(): Promise<KeptState['storage']> {
  const { usage, quota } = await navigator.storage
    .estimate()
    .catch(() => ({ usage: undefined, quota: undefined }));
  return usage === undefined || quota === undefined ? null : { used: usage, quota };
}

/** Reads the list again. */
async function listKept(): Promise<void> {
  const { controller } = useApp.getState();
  if (controller === null) return;
  try {
    const [runs, storage] = await Promise.all([controller.kept.list(), storageNow()]);
    useKept.setState({ runs, storage });
  } catch {
    // Without a private file system there are none.
    useKept.setState({ runs: [], storage: null });
  }
}

/** Offers what is kept, once, when the page has opened. */
async function offerKept(): Promise<void> {
  await listKept();
  if (useKept.getState().runs.length > 0) useKept.setState({ shown: true });
}

/** Offers what is kept, lists it again as it changes, but not while a run works, and says where room runs out. */
export async function watchKept(controller: RunController): Promise<void> {
  askBeforeLeaving(controller);
  controller.kept.onChange(() => {
    if (!isBusy(controller.snapshot().phase)) void listKept().then(warnWhenNearlyFull);
  });
  await offerKept();
}

/** Asks before the page is left, while that would cost work of the run. */
function askBeforeLeaving(controller: RunController): void {
  window.addEventListener('beforeunload', (event) => {
    if (controller.kept.unsaved()) event.preventDefault();
  });
}

/** Names the oldest runs where the browser's storage fills up. */
function warnWhenNearlyFull(): void {
  const { runs, storage } = useKept.getState();
  const oldest = runs.at(-1);
  if (storage === null || oldest === undefined || storage.used < NEARLY_FULL * storage.quota) return;
  useKept.setState({ shown: true });
  addNotice({
    id: 'storage',
    kind: 'warning',
    title: 'The browser’s storage fills up',
    text: `${bytesText(storage.used)} of ${bytesText(storage.quota)} are used. When it is full, runs are kept no longer. Delete what you no longer need, the oldest first: ${oldest.newest.task} at step ${oldest.newest.step} takes ${bytesText(oldest.bytes)}.`,
  });
}

async function withRun(
  kept: KeptRun,
  title: string,
  act: (controller: RunController) => Promise<unknown>,
): Promise<void> {
  const { controller } = useApp.getState();
  if (controller === null) return;
  useKept.setState({ busy: kept.run });
  try {
    await act(controller);
  } catch (error) {
    reportError(title, error, 'The current run is as it was.');
  } finally {
    useKept.setState({ busy: null });
    await listKept();
  }
}

/** Goes on with it, or reads along where another tab writes it. */
export async function openKeptRun(kept: KeptRun): Promise<void> {
  if (!canStart(useApp.getState().snapshot)) return;
  await withRun(kept, 'The run could not be opened', async ({ kept: runs }) => {
    const settings = await (kept.claimed ? runs.follow(kept) : runs.continue(kept));
    if (settings === null) return;
    changeForm((form) => ({ ...form, ...settings }));
    useKept.setState({ shown: false });
  });
}

export async function deleteKeptRun(kept: KeptRun): Promise<void> {
  await withRun(kept, 'The run was not deleted', ({ kept: runs }) => runs.remove(kept));
}
