/** Names, notes and deletions of kept runs, stored in this browser (IndexedDB) beside the runs. */
import { browserStore } from '@rl-playground/base/browserStore';
import { runName } from '@rl-playground/run/kept';
import type { RunWords } from '@rl-playground/run/records';
import type { RunController } from '@rl-playground/run/session';
import { useRun } from '../../run/state/runStore.ts';
import { changeLabels, useKept } from './keptStore.ts';
import { labelSchema, type RunLabel } from './runLabel.ts';

export const LONGEST_NAME = 60;
export const LONGEST_NOTE = 500;

const store = browserStore('rl-playground-runs', 'labels');

/** The writes of labels, one after the other. */
let writing: Promise<unknown> = Promise.resolve();

/** Reads the labels that are stored, of other tabs too. What this tab changes in the meantime stays. */
export async function readLabels(): Promise<void> {
  await writing;
  const before = useKept.getState().labels;
  const found = await store.values().catch(() => []);
  const labels = found.flatMap((value) => {
    const parsed = labelSchema.safeParse(value);
    return parsed.success ? [[parsed.data.run, parsed.data] as const] : [];
  });
  changeLabels((now) => {
    const stored = labels.filter(([run]) => !(run in before) || run in now);
    const changed = Object.entries(now).filter(([run, label]) => before[run] !== label);
    return Object.fromEntries([...stored, ...changed]);
  });
}

function write(change: () => Promise<unknown>): Promise<unknown> {
  writing = writing.then(change).catch(() => undefined);
  return writing;
}

/** Changes parts of a run's label; undefined removes a part. A label that can't be stored lasts until the page is closed. */
export async function changeLabel(run: string, changes: Omit<RunLabel, 'run'>): Promise<void> {
  const label = { ...useKept.getState().labels[run], ...changes, run };
  changeLabels((labels) => ({ ...labels, [run]: label }));
  await write(() => store.set(run, label));
}

export async function forgetLabel(run: string): Promise<void> {
  changeLabels((labels) => Object.fromEntries(Object.entries(labels).filter(([key]) => key !== run)));
  await write(() => store.remove(run));
}

/** The name that a person gave the run, or else one made from its id. */
export function nameOf(run: string, labels: Readonly<Record<string, RunLabel>>): string {
  return labels[run]?.name ?? runName(run);
}

/** The name and note that go into the directory of a run. */
export function wordsOf(run: string | null): RunWords | null {
  const { labels } = useKept.getState();
  return run === null ? null : { name: nameOf(run, labels), note: labels[run]?.note };
}

/** A run that was opened from a directory is listed with the name and the note that it came with. */
export async function adoptWords(controller: RunController): Promise<void> {
  const words = controller.run?.log.words ?? null;
  if (words === null) return;
  await useRun.getState().kept?.keepNow();
  const { run } = controller.snapshot();
  if (run === null) return;
  await changeLabel(run, {
    name: words.name.slice(0, LONGEST_NAME),
    note: words.note?.slice(0, LONGEST_NOTE),
  });
}
