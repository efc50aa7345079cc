/** What a person says of kept runs: a name, a note, that one is to be deleted. Kept in this browser (IndexedDB), beside the runs. */
import * as z from 'zod';
import { browserStore } from '@rl-playground/base/browserStore';
import { runName } from '@rl-playground/run/kept';
import type { RunWords } from '@rl-playground/run/records';
import type { RunController } from '@rl-playground/run/session';
import { useRun } from '../../run/state/runStore.ts';
import { changeLabels, useKept, type RunLabel } from './keptStore.ts';

const labelSchema = z.object({
  run: z.string(),
  name: z.string().optional(),
  note: z.string().optional(),
  group: z.string().optional(),
  parent: z.object({ run: z.string(), step: z.number() }).optional(),
  deleted: z.number().optional(),
}) satisfies z.ZodType<RunLabel>;

export const LONGEST_NAME = 60;
export const LONGEST_NOTE = 500;

const store = browserStore('rl-playground-runs', 'labels');

/** Reads all of them. Where the browser keeps nothing, there are none. */
export async function readLabels(): Promise<void> {
  const found = await store.values().catch(() => []);
  const labels = found.flatMap((value) => {
    const parsed = labelSchema.safeParse(value);
    return parsed.success ? [[parsed.data.run, parsed.data] as const] : [];
  });
  changeLabels(() => Object.fromEntries(labels));
}

/** Says something else of a run; undefined takes back what was said. What can't be stored holds until the page is closed. */
export async function changeLabel(run: string, changes: Omit<RunLabel, 'run'>): Promise<void> {
  const label = { ...useKept.getState().labels[run], ...changes, run };
  changeLabels((labels) => ({ ...labels, [run]: label }));
  await store.set(run, label).catch(() => undefined);
}

export async function forgetLabel(run: string): Promise<void> {
  changeLabels((labels) => Object.fromEntries(Object.entries(labels).filter(([key]) => key !== run)));
  await store.remove(run).catch(() => undefined);
}

/** The name that a person gave it, else the one that its id gives it. */
export function nameOf(run: string, labels: Readonly<Record<string, RunLabel>>): string {
  return labels[run]?.name ?? runName(run);
}

/** What is said of a run in its directory; null for one that is in no list. */
export function wordsOf(run: string | null): RunWords | null {
  const { labels } = useKept.getState();
  return run === null ? null : { name: nameOf(run, labels), note: labels[run]?.note };
}

/** A run that was opened from a directory has a place of its own in the list, under the name and with the note that came with it. */
export async function adoptWords(controller: RunController): Promise<void> {
  const words = controller.runLog()?.words ?? null;
  if (words === null) return;
  await useRun.getState().kept?.keepNow();
  const { run } = controller.snapshot();
  if (run === null) return;
  await changeLabel(run, {
    name: words.name.slice(0, LONGEST_NAME),
    note: words.note?.slice(0, LONGEST_NOTE),
  });
}
