/**
 * What is kept of a run in the browser: `runs/ID/` holds commits, each a folder with the files of a checkpoint and, written last, a record
 * with the SHA-256 of each. A folder without a record is what a crash left of one, and counts as nothing. Beside them lie what grows line
 * by line, the metrics of the run's steps and its answers, the weights that its generators had (`pastWeightFiles.ts`), and the frozen base
 * of its adapter, once.
 */
import { z } from 'zod';
import { privateFolder } from '@rl-playground/base/privateFiles';

export const RUNS_FOLDER = 'runs';
export const ROLLOUTS_FILE = 'rollouts.jsonl';
export const METRICS_FILE = 'metrics.jsonl';
export const BASE_FOLDER = 'base';

export interface RunFolders {
  /** Of all runs. */
  readonly root: FileSystemDirectoryHandle;
  readonly run: FileSystemDirectoryHandle;
}

/** Where a run is written. @throws Error where the browser has no private file system. */
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
  /** Made so far. */
  sftUpdates: count,
  evaluations: count,
  /** Evaluations with draws for pass@k: a later one of the same step may add them. */
  passAtK: count.default(0),
  /** Of these very weights on held-out problems; null where they were not evaluated. */
  accuracy: z.number().nullable(),
  /** Milliseconds since 1970. */
  kept: z.number(),
  /** The first bytes of the answers' file, which belong to it, and of how many steps they are. */
  rolloutBytes: count,
  rolloutSteps: count,
  /** The first bytes of the file of metrics, a line for each step so far. Commits that hold such a file themselves have none. */
  metricsBytes: count.default(0),
  metricsSha256: z.string().nullable().default(null),
  /** By their place in the list: their names in the folder. */
  files: z.array(z.object({ path: z.string(), size: count, sha256: z.string() })),
});
export type Commit = z.infer<typeof commitSchema>;
/** What is known of one before it is written. */
export type CommitHead = Omit<
  Commit,
  'format' | 'kept' | 'rolloutBytes' | 'rolloutSteps' | 'metricsBytes' | 'metricsSha256' | 'files'
>;

/** Where the next lines of what grows begin: behind those that belong to the newest commit. */
export interface LineEnds {
  readonly rollouts: number;
  readonly metrics: number;
}

/** What tells one state of a run from another. */
export const stateKey = ({
  step,
  sftUpdates,
  evaluations,
  passAtK,
}: Pick<Commit, 'step' | 'sftUpdates' | 'evaluations' | 'passAtK'>): string =>
  [step, sftUpdates, evaluations, passAtK].join(' ');

const COMMIT_NAME = /^commit-(\d{6,})$/;
export const commitFolder = (number: number): string => `commit-${`${number}`.padStart(6, '0')}`;
/** Null for other folders. */
export function commitNumber(folder: string): number | null {
  const digits = COMMIT_NAME.exec(folder)?.[1];
  return digits === undefined ? null : Number(digits);
}

const CHECKPOINT_NAME = /^checkpoint-(\d+)$/;
/** Of a checkpoint that the settings ask for, which stays. */
export const keptCheckpointFolder = (step: number): string => `checkpoint-${step}`;
/** Null for other folders. */
export function checkpointStep(folder: string): number | null {
  const digits = CHECKPOINT_NAME.exec(folder)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** A checkpoint of a kept run: one of its commits, or one that its settings asked for. */
export interface ForkPoint {
  /** Null for those that the settings asked for. */
  readonly number: number | null;
  readonly step: number;
}

/** `C`: as much of a commit as is asked for. */
export interface NumberedCommit<C = Commit> {
  readonly number: number;
  readonly commit: C;
}
type Judged = NumberedCommit<Pick<Commit, 'accuracy'>>;

/** The one whose weights were right most often, the newest of equals; null where none was evaluated. */
export function bestOf<C extends Judged>(commits: readonly C[]): C | null {
  return commits.reduce<C | null>((best, each) => {
    const { accuracy } = each.commit;
    if (accuracy === null) return best;
    const highest = best?.commit.accuracy ?? -Infinity;
    return accuracy > highest || (accuracy === highest && each.number > (best?.number ?? -1)) ? each : best;
  }, null);
}

/** Those that make room: all but the last two and the best. */
export function superseded<C extends Judged>(commits: readonly C[]): C[] {
  const newestFirst = [...commits].sort((a, b) => b.number - a.number);
  const best = bestOf(commits);
  return newestFirst.slice(2).filter((each) => each !== best);
}
