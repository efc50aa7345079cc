/** Actions of a comparison: runs are drawn beside each other, repeated with other seeds, and forked. */
import type { RunConfig } from '@rl-playground/run/settings';
import { keptRecord, type ForkPoint, newRunId, runBegan, type KeptRun } from '@rl-playground/run/kept';
import type { KeptRuns } from '@rl-playground/run/kept/keptRuns';
import type { RunController } from '@rl-playground/run/session';
import { ANOTHER_RUN, ready, unlessUnsaved } from '../../run/actions/actions.ts';
import { changeLabel, nameOf } from '../kept/labels.ts';
import { useForm, takeForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import {
  showArm,
  hideArm,
  pinArm,
  showQueue,
  changeQueue,
  useCharts,
  freeColour,
  MOST_ARMS,
  type Arm,
} from '../../see/arms/chartsStore.ts';
import { reportError } from '../../ui/open/openStore.ts';
import { showKept, useKept } from '../kept/keptStore.ts';

/** All runs of the group of `run`, which are compared as one; a run without a group is compared alone. */
export function armRuns(run: string): { id: string; runs: readonly KeptRun[] } {
  const { runs: newestFirst, labels } = useKept.getState();
  const runs = newestFirst.toSorted((a, b) => runBegan(a.run) - runBegan(b.run));
  const group = labels[run]?.group;
  if (group === undefined) return { id: run, runs: runs.filter((each) => each.run === run) };
  const present = runs.filter(
    (each) => labels[each.run]?.group === group && labels[each.run]?.deleted === undefined,
  );
  return { id: group, runs: present };
}

/** The name of the first run, with the number of seeds if there are several. */
export function armName(runs: readonly KeptRun[]): string {
  const [first] = runs;
  const name = first ? nameOf(first.run, useKept.getState().labels) : '';
  return runs.length > 1 ? `${name} (${runs.length} seeds)` : name;
}

async function readArm(run: string, colour: string): Promise<Arm> {
  const { id, runs } = armRuns(run);
  const records = await Promise.all(runs.map(keptRecord));
  return { id, name: armName(runs), colour, runs: runs.map((each) => each.run), records };
}

/** Draws a run, or its group, beside the current one. */
export async function showRun(run: string): Promise<void> {
  const { arms } = useCharts.getState();
  const { id } = armRuns(run);
  const before = arms.find((arm) => arm.id === id);
  if (before === undefined && arms.length >= MOST_ARMS) return;
  try {
    showArm(await readArm(run, before?.colour ?? freeColour(arms)));
  } catch (error) {
    reportError('The run could not be drawn', error, 'The charts are unchanged.');
  }
}

export function hideRun(run: string): void {
  hideArm(armRuns(run).id);
}

/** Draws a run as the baseline of the others, or makes it the baseline no longer. */
export async function pinRun(run: string): Promise<void> {
  const { id } = armRuns(run);
  if (useCharts.getState().pinned === id) {
    pinArm(null);
    return;
  }
  await showRun(run);
  if (useCharts.getState().arms.some((arm) => arm.id === id)) pinArm(id);
}

/** Keeps the current state of a run, lists it, and draws it anew where a person has it drawn. */
async function listed(run: string): Promise<void> {
  const { kept } = useRun.getState();
  await kept?.keepNow();
  if (kept) showKept({ runs: await kept.list() });
  await changeLabel(run, {});
  const { id } = armRuns(run);
  if (useCharts.getState().arms.some((arm) => arm.id === id)) await showRun(run);
}

export const SEED_COUNTS = [3, 5] as const;

/** Trains `count` runs one after the other, each with the next seed. The queue ends early if a run does. */
export async function runSeeds(count: number): Promise<void> {
  const { controller } = useRun.getState();
  if (controller === null || !ready()) return;
  await unlessUnsaved(controller, ANOTHER_RUN, () => makeSeeds(controller, count));
}

async function makeSeeds(controller: RunController, count: number): Promise<void> {
  // A second click can come while the page is still asking about the unsaved run.
  if (useCharts.getState().queue !== null) return;
  const { form } = useForm.getState();
  const group = newRunId();
  showQueue({ done: 0, total: count, stopping: false });
  try {
    for (let i = 0; i < count && useCharts.getState().queue?.stopping === false; i++) {
      const config = { ...form, seed: form.seed + i };
      takeForm(() => config);
      await controller.train(config);
      const { phase, run } = controller.snapshot();
      if (phase !== 'finished' || run === null) break;
      await changeLabel(run, { group });
      await listed(run);
      changeQueue({ done: i + 1 });
    }
  } catch (error) {
    reportError('The runs of several seeds stopped early', error, 'The finished runs are in the list.');
  } finally {
    showQueue(null);
    takeForm((now) => ({ ...now, seed: form.seed }));
  }
}

export function stopSeeds(): void {
  changeQueue({ stopping: true });
}

/** Starts a run from a checkpoint of another with changed settings. */
export async function forkRun(kept: KeptRun, at: ForkPoint, config: RunConfig): Promise<void> {
  const { controller, kept: runs } = useRun.getState();
  if (controller === null || runs === null) return;
  await unlessUnsaved(controller, ANOTHER_RUN, () => makeFork(controller, runs, kept, at, config));
}

async function makeFork(
  controller: RunController,
  runs: KeptRuns,
  kept: KeptRun,
  at: ForkPoint,
  config: RunConfig,
): Promise<void> {
  const settings = await runs.fork(kept, at, config);
  if (settings === null) return;
  takeForm((form) => ({ ...form, ...settings }));
  await runs.keepNow();
  const { run } = controller.snapshot();
  if (run !== null) {
    await changeLabel(run, { parent: { run: kept.run, step: at.step } });
    await listed(run);
  }
  await controller.train({ ...useForm.getState().form });
  const end = controller.snapshot();
  if (run !== null && end.run === run && end.phase === 'finished') await listed(run);
}
