/** Scores of reasoning-gym itself, row by row, beside those of the tasks here. Also behind a command, so it prints nothing. */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'fflate';
import { ZodError } from 'zod';
import type { GymEntry, GymTask } from '../gym/shared/define.ts';

/** Sums of floats in another order, and `exp`. */
const TOLERANCE = 1e-9;

/** The reasons of tasks that may disagree, each on at most the share `MOST_DEVIATING` of its rows. */
export const REASONS: Readonly<Record<string, string>> = {};
export const MOST_DEVIATING = 0.01;

interface Item {
  readonly index: number;
  readonly question: string;
  readonly answer: string | null;
  readonly metadata: unknown;
}

interface ScoreRow {
  readonly index: number;
  readonly kind: string;
  readonly candidate: string | null;
  /** The score, or null if upstream raised. */
  readonly score: number | null;
}

interface EdgeRow {
  readonly id: string;
  readonly dataset: string;
  readonly entry: { readonly question?: string; readonly answer: string | null; readonly metadata: unknown };
  readonly candidate: string | null;
  readonly score: number | null;
}

export interface Deviation {
  /** `scores 12 alt_spaces` or `edge e17`. */
  readonly row: string;
  readonly candidate: string | null;
  readonly expected: number | null;
  readonly found: number | null;
}

export interface Conformance {
  readonly task: string;
  readonly rows: number;
  readonly deviations: readonly Deviation[];
}

/** The rows of a file of JSON lines, packed or not; none where there is neither. Lines end in `\n` only. */
export function readRows<Row>(path: string): Row[] {
  const packed = `${path}.gz`;
  const text = existsSync(path)
    ? readFileSync(path, 'utf8')
    : existsSync(packed)
      ? new TextDecoder().decode(gunzipSync(readFileSync(packed)))
      : '';
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** A dataset's reference items. `folder` is the `rg` folder of the reference data. */
export function referenceItems(folder: string, task: string): Item[] {
  return readRows<Item>(`${folder}/items/${task}.jsonl`);
}

function upstreamScore(task: GymTask, entry: GymEntry, candidate: string | null): number | null {
  try {
    return task.grade(entry, candidate, 'upstream');
  } catch (error) {
    // Metadata that the task can't read is a mistake here, no error of upstream's.
    if (error instanceof ZodError) throw error;
    return null;
  }
}

function agree(expected: number | null, found: number | null): boolean {
  if (expected === null || found === null) return expected === found;
  return Math.abs(expected - found) <= TOLERANCE;
}

/** Scores every row of reference data for a task, in `upstream` mode. `folder` is the `rg` folder of the reference data. */
export function conformanceOf(task: GymTask, folder: string): Conformance {
  const items = new Map(referenceItems(folder, task.name).map((item) => [item.index, item]));
  const deviations: Deviation[] = [];
  let rows = 0;

  function check(row: string, entry: GymEntry, candidate: string | null, expected: number | null): void {
    rows++;
    const found = upstreamScore(task, entry, candidate);
    if (!agree(expected, found)) deviations.push({ row, candidate, expected, found });
  }

  for (const { index, kind, candidate, score } of readRows<ScoreRow>(`${folder}/scores/${task.name}.jsonl`)) {
    const item = items.get(index);
    if (item === undefined)
      throw new Error(
        `${task.name}: a score names item ${index}, which items/ lacks. Fetch the reference data again.`,
      );
    check(`scores ${index} ${kind}`, item, candidate, score);
  }
  for (const { id, dataset, entry, candidate, score } of readRows<EdgeRow>(`${folder}/edge_scores.jsonl`)) {
    if (dataset === task.name) check(`edge ${id}`, { question: '', ...entry }, candidate, score);
  }
  return { task: task.name, rows, deviations };
}

/** Says whether a task agrees everywhere, or everywhere but in a few explained rows. */
export function isConformant({ task, rows, deviations }: Conformance): boolean {
  if (rows === 0) return false;
  return (
    deviations.length === 0 || (Object.hasOwn(REASONS, task) && deviations.length <= MOST_DEVIATING * rows)
  );
}
