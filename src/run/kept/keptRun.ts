/**
 * The files of a run that the browser keeps: `runs/ID/` holds commits, each a folder with the files of a checkpoint and, written last, a record
 * with the SHA-256 of each. A folder without a record was left by a crash, and counts as nothing. Beside them lie what grows line
 * by line, the metrics of the run's steps and its answers, the weights that its generators had (`pastWeightFiles.ts`), and the frozen base
 * of its adapter, once.
 */
import { z } from 'zod';
import { privateFolder } from '@rl-playground/base/privateFiles';
import { headlineOf } from '../loop/accuracies.ts';
import type { Run } from '../session/runState.ts';

export const RUNS_FOLDER = 'runs';
export const ROLLOUTS_FILE = 'rollouts.jsonl';
export const METRICS_FILE = 'metrics.jsonl';
export const BASE_FOLDER = 'base';

export interface RunFolders {
  /** The folder of all runs. */
  readonly root: FileSystemDirectoryHandle;
  readonly run: FileSystemDirectoryHandle;
}

/** The folders that a run is written into. @throws Error where the browser has no private file system. */
export async function foldersOfRun(run: string): Promise<RunFolders> {
  const root = await privateFolder(RUNS_FOLDER);
  if (root === null) throw new Error('This browser keeps no files here.');
  return { root, run: await root.getDirectoryHandle(run, { create: true }) };
}

const count = z.number().int().nonnegative();

export const commitSchema = z.object({
  format: z.literal(1),
  task: z.string(),
  model: z.string(),
  step: count,
  numSteps: count,
  /** The updates of the warm-up so far. */
  sftUpdates: count,
  evaluations: count,
  /** The evaluations with draws for pass@k: a later one of the same step may add them. */
  passAtK: count.default(0),
  /** The accuracy of these very weights on held-out problems; null where they were not evaluated. */
  accuracy: z.number().nullable(),
  /** The answers that the accuracy is of. */
  accuracyKind: z.enum(['greedy', 'sampled']).default('sampled'),
  /** The time of the commit, in milliseconds since 1970. */
  kept: z.number(),
  /** The first bytes of the answers' file, which belong to this commit, and the steps that they are of. */
  rolloutBytes: count,
  rolloutSteps: count,
  /** The first bytes of the file of metrics, a line for each step so far. Commits that hold such a file themselves have none. */
  metricsBytes: count.default(0),
  metricsSha256: z.string().nullable().default(null),
  /** The files of the checkpoint. In the folder each is named by its place in this list. */
  files: z.array(z.object({ path: z.string(), size: count, sha256: z.string() })),
});
export type CommitRecord = z.infer<typeof commitSchema>;

/** A commit of a run, with its number among them. */
export interface Commit extends CommitRecord {
  readonly number: number;
}

/** The part of a commit's record that tells how far its run is, so that lists need not open the commit. */
export type CommitHead = Omit<
  CommitRecord,
  'format' | 'kept' | 'rolloutBytes' | 'rolloutSteps' | 'metricsBytes' | 'metricsSha256' | 'files'
>;

/** The head of a commit of the run's present state; null before its first update. */
export function headOf(run: Run | null, modelName: string | null): CommitHead | null {
  if (!run?.config) return null;
  const { step, sftLosses, evaluations, config } = run;
  const evaluated = evaluations.find((evaluation) => evaluation.step === step);
  const { share = null, kind = 'greedy' } = evaluated ? headlineOf(evaluated) : {};
  if (step === 0 && sftLosses.length === 0) return null;
  return {
    task: config.task,
    model: modelName ?? config.model,
    step,
    numSteps: config.numSteps,
    sftUpdates: sftLosses.length,
    evaluations: evaluations.length,
    passAtK: evaluations.filter((evaluation) => evaluation.passAtK).length,
    accuracy: share,
    accuracyKind: kind,
  };
}

/** The bytes of the answers and of the metrics that belong to the newest commit: the next lines follow them. */
export interface LineEnds {
  readonly rollouts: number;
  readonly metrics: number;
}

/** A key that tells one state of a run from another. */
export const stateKey = ({
  step,
  sftUpdates,
  evaluations,
  passAtK,
}: Pick<CommitHead, 'step' | 'sftUpdates' | 'evaluations' | 'passAtK'>): string =>
  [step, sftUpdates, evaluations, passAtK].join(' ');

const COMMIT_NAME = /^commit-(\d{6,})$/;
export const commitFolder = (number: number): string => `commit-${`${number}`.padStart(6, '0')}`;
export function commitNumber(folder: string): number | null {
  const digits = COMMIT_NAME.exec(folder)?.[1];
  return digits === undefined ? null : Number(digits);
}

const CHECKPOINT_NAME = /^checkpoint-(\d+)$/;
/** The folder of a checkpoint that the settings ask for, which stays. */
export const keptCheckpointFolder = (step: number): string => `checkpoint-${step}`;
export function checkpointStep(folder: string): number | null {
  const digits = CHECKPOINT_NAME.exec(folder)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** A checkpoint of a kept run: one of its commits, or one that its settings asked for. */
export interface ForkPoint {
  /** The commit's number; null for a checkpoint that the settings asked for. */
  readonly number: number | null;
  readonly step: number;
}

type Judged = Pick<Commit, 'number' | 'accuracy'>;

/** The commit whose weights were right most often, the newest of equals; null where none was evaluated. */
export function bestOf<C extends Judged>(commits: readonly C[]): C | null {
  return commits.reduce<C | null>((best, each) => {
    const { accuracy, number } = each;
    if (accuracy === null) return best;
    const highest = best?.accuracy ?? -Infinity;
    return accuracy > highest || (accuracy === highest && number > (best?.number ?? -1)) ? each : best;
  }, null);
}

/** The commits that make room: all but the last two and the best. */
export function superseded<C extends Judged>(commits: readonly C[]): C[] {
  const newestFirst = [...commits].sort((a, b) => b.number - a.number);
  const best = bestOf(commits);
  return newestFirst.slice(2).filter((each) => each !== best);
}
