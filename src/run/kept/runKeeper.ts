/** Keeps the run that goes on in this browser, so that a reload, a crash or a lost device costs a step or ten seconds of it. */
import { messageOf } from '@rl-playground/base/errors';
import { bytesText } from '@rl-playground/base/text';
import {
  freeBytes,
  contentOf,
  type LoadedModel,
  type ModelFiles,
  type OpenFile,
  type PastWeights,
} from '@rl-playground/engine/parts';
import { withBase } from '../checkpoint/baseModel.ts';
import { BASE_FILE } from '../checkpoint/runFiles.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { writeMetricsLog } from '../records/metricsLog.ts';
import type { RunLog } from '../records/runLog.ts';
import type { Notice } from '../session/types.ts';
import { CommitWriter, KeepError } from './commitWriter.ts';
import { isCached, withKeptBase } from './keptBase.ts';
import {
  BASE_FOLDER,
  bestOf,
  commitFolder,
  keptCheckpointFolder,
  stateKey,
  superseded,
  type CommitHead,
  type LineEnds,
  type NumberedCommit,
} from './keptRun.ts';
import { forgetPastWeights, PastWeightFiles } from './pastWeightFiles.ts';
import { newRunId } from './runName.ts';
import {
  claimRun,
  keepsBase,
  keptCheckpoints,
  openCommit,
  runsFolder,
  tell,
  type KeptRun,
} from './runStore.ts';

/** Milliseconds between two commits of a run whose steps are shorter. */
const INTERVAL = 10_000;

/** What came since the newest commit. */
interface GrownLines {
  readonly lines: { readonly rollouts: string; readonly metrics: string };
  /** Steps whose answers are kept with these. */
  readonly rolloutSteps: number;
}
const NO_LINES: GrownLines = { lines: { rollouts: '', metrics: '' }, rolloutSteps: 0 };

/** The run that is kept. */
export interface KeptSource {
  /** Null where there is nothing to keep yet. */
  head(): CommitHead | null;
  /** Of the state that `head` names; called between steps. */
  parts(): Promise<CheckpointParts>;
  log(): RunLog | null;
  /** Null while no model is on the device. */
  pastWeights(): PastWeights | null;
  /** Behind which the run was evaluated. */
  evaluatedSteps(): readonly number[];
  notify(notice: Omit<Notice, 'id'>): void;
}

/** What is said where there is no private file system. */
const NO_FILES: Omit<Notice, 'id'> = {
  kind: 'warning',
  title: 'This browser keeps no runs',
  text: 'It has no private file system for this page, as in some private windows. The run goes on, but a reload would cost it: download a checkpoint before you leave.',
};

/** A run that this tab writes. */
interface Claimed {
  readonly run: string;
  readonly release: () => void;
  commits: readonly NumberedCommit[];
  weights: PastWeightFiles;
}

export class RunKeeper {
  readonly #source: KeptSource;
  readonly #writer = new CommitWriter();
  #claimed: Claimed | null = null;
  #keepsPast = true;
  #writing: Promise<void> | null = null;
  /** One after the other: the page asks when a run comes to rest, and a person may do so too. */
  #keeping: Promise<void> = Promise.resolve();
  /** `stateKey` of the newest commit. */
  #keptState: string | null = null;
  #lastBegan = 0;
  #problemSaid = false;

  constructor(source: KeptSource) {
    this.#source = source;
  }

  /** Whether a reload now would cost work of the run. */
  get unsaved(): boolean {
    const head = this.#source.head();
    return head !== null && stateKey(head) !== this.#keptState;
  }

  /** The run that this tab writes; null where it writes none. */
  get run(): string | null {
    return this.#claimed?.run ?? null;
  }

  /** From now on a new run is kept, unless one is already. */
  async enter(): Promise<void> {
    this.#claimed ??= await newRun();
  }

  /** Another run begins: what is kept of the one before stays. */
  leave(): void {
    this.#claimed?.release();
    this.#claimed = null;
    this.#keptState = null;
    this.#problemSaid = false;
    this.#lastBegan = performance.now();
  }

  /** Goes on with a kept run; resolves to the files of its newest commit that is whole. @throws Error where another tab writes it, or none is whole. */
  async resume(kept: KeptRun): Promise<ModelFiles> {
    const release = await claimRun(kept.run);
    if (release === null)
      throw new Error(
        'This run is open in another tab, which goes on with it. Read along here, or close that tab first.',
      );
    let problem: unknown = null;
    for (const at of [...kept.commits].reverse()) {
      try {
        await this.#writer.verify(kept.run, at.number);
        const { files } = await openCommit(kept.run, at);
        const whole = await withKeptBase(files);
        this.leave();
        const commits = kept.commits.filter(({ number }) => number <= at.number);
        this.#claimed = { run: kept.run, release, commits, weights: new PastWeightFiles(kept.run) };
        this.#keptState = stateKey(at.commit);
        return whole;
      } catch (error) {
        problem ??= error;
      }
    }
    release();
    throw new Error(
      `None of its ${kept.commits.length} commits is whole: ${messageOf(problem)} Delete the run.`,
    );
  }

  /** The files of the newest commit of this run; null where there is none. */
  async newest(): Promise<{ readonly step: number; readonly files: ModelFiles } | null> {
    await this.#writing;
    const at = this.#claimed?.commits.at(-1);
    if (!this.#claimed || !at) return null;
    const { files } = await openCommit(this.#claimed.run, at);
    return { step: at.commit.step, files: await withKeptBase(files) };
  }

  /** The log of a run that goes on from its newest commit: the answers up to there are on disk. */
  async restoreLog(log: RunLog): Promise<void> {
    const at = this.#claimed?.commits.at(-1);
    if (!this.#claimed || !at) return;
    const { rollouts } = await openCommit(this.#claimed.run, at);
    log.store(at.commit.step, { steps: at.commit.rolloutSteps, file: rollouts });
    for (const kept of await keptCheckpoints(this.#claimed.run, at.commit.step)) log.storeCheckpoint(kept);
  }

  /** Between steps: keeps the run where ten seconds have gone by, or where no weights before were right as often. */
  async keepWhenDue(): Promise<void> {
    this.#keepWeights();
    if (this.#writing !== null || !this.unsaved) return;
    const best = bestOf(this.#claimed?.commits ?? [])?.commit.accuracy ?? null;
    const accuracy = this.#source.head()?.accuracy ?? null;
    const isBest = accuracy !== null && (best === null || accuracy > best);
    if (isBest || performance.now() - this.#lastBegan >= INTERVAL) await this.#begin();
  }

  /** Where the run rests: keeps it as it stands. Resolves when the files are being written. */
  keep(): Promise<void> {
    const next = this.#keeping.then(async () => {
      this.#keepWeights();
      await this.#writing;
      if (this.unsaved) await this.#begin();
    });
    this.#keeping = next;
    return next;
  }

  /** Resolves when nothing is being written. */
  async written(): Promise<void> {
    await this.#writing;
    await this.#claimed?.weights.written();
  }

  /** Weights that the run's generators had under a version; null where they are not kept. */
  async weightsOf(version: number): Promise<Float32Array | null> {
    return (await this.#claimed?.weights.of(version)) ?? null;
  }

  #keepWeights(): void {
    const past = this.#source.pastWeights();
    if (past !== null && this.#keepsPast)
      this.#claimed?.weights.take(past, new Set(this.#source.evaluatedSteps()));
  }

  /** Whether weights of past steps are kept from now on; where not, those of all runs go. */
  async keepPastWeights(on: boolean): Promise<void> {
    this.#keepsPast = on;
    if (on) return;
    const claimed = this.#claimed;
    await claimed?.weights.written();
    await forgetPastWeights();
    if (claimed) claimed.weights = new PastWeightFiles(claimed.run);
  }

  /** Resolves once weights and log are taken; they are written while the run goes on. */
  async #begin(): Promise<void> {
    const head = this.#source.head();
    const log = this.#source.log();
    if (head === null || log === null) return;
    this.#lastBegan = performance.now();
    try {
      await this.enter();
      if (this.#claimed === null) {
        this.#sayOnce(NO_FILES);
        return;
      }
      const parts = await this.#source.parts();
      const files = await checkpointFiles(parts, { log: false });
      const newest = this.#claimed.commits.at(-1)?.commit;
      const since = newest === undefined || newest.metricsBytes === 0 ? 0 : newest.step;
      const lines = {
        // A run that was opened from files has answers there.
        rollouts:
          newest === undefined && log.hasStored
            ? new TextDecoder().decode(await contentOf(log.rollouts))
            : log.steps.map((each) => each.lines).join(''),
        metrics: writeMetricsLog(parts.metrics.filter(({ step }) => step > since)),
      };
      const rolloutSteps = log.stepsKept;
      const claimed = this.#claimed;
      const write = (): Promise<void> =>
        this.#write(claimed, head, parts.model, files, { log, lines, rolloutSteps });
      this.#writing = write()
        .catch(async (error: unknown) => {
          if (!isFull(error) || !(await claimed.weights.giveWay())) throw error;
          await write();
        })
        .catch((error: unknown) => this.#say(error))
        .finally(() => {
          this.#writing = null;
        });
    } catch (error) {
      await this.#say(error);
    }
  }

  async #write(
    claimed: Claimed,
    head: CommitHead,
    model: LoadedModel,
    files: ReadonlyMap<string, OpenFile>,
    grown: GrownLines & { readonly log: RunLog },
  ): Promise<void> {
    const { run, commits } = claimed;
    const newest = commits.at(-1)?.commit;
    const after = { rollouts: newest?.rolloutBytes ?? 0, metrics: newest?.metricsBytes ?? 0 };
    if (files.has(BASE_FILE) && !(await keepsBase(run)) && !(await isCached(model))) {
      const base = [...withBase(files, model)].filter(([path]) => path.startsWith(`${BASE_FOLDER}/`));
      await this.#writer.write(run, BASE_FOLDER, new Map(base), { head, after, ...NO_LINES, remove: [] });
    }
    // Before the commit: whoever goes on from it has them too.
    const { log, lines, rolloutSteps } = grown;
    await this.#storeCheckpoints(run, head, after, log);
    const number = (commits.at(-1)?.number ?? 0) + 1;
    const old = superseded([...commits, { number, commit: head }]);
    const commit = await this.#writer.write(run, commitFolder(number), files, {
      head,
      after,
      lines,
      rolloutSteps,
      remove: old.map((each) => commitFolder(each.number)),
    });
    claimed.commits = [
      ...commits.filter((each) => old.every((gone) => gone.number !== each.number)),
      { number, commit },
    ];
    if (this.#claimed !== claimed) return;
    this.#keptState = stateKey(commit);
    const { rollouts } = await openCommit(run, { number, commit });
    log.store(commit.step, { steps: commit.rolloutSteps, file: rollouts });
    tell(run);
    await this.#askToStay();
  }

  /** Checkpoints that the settings ask for leave the memory. */
  async #storeCheckpoints(run: string, head: CommitHead, after: LineEnds, log: RunLog): Promise<void> {
    for (const { step, files, stored } of log.checkpoints) {
      if (stored === true) continue;
      const folder = keptCheckpointFolder(step);
      const end = { head: { ...head, step }, after, ...NO_LINES, remove: [] };
      await this.#writer.write(run, folder, files, end);
    }
    for (const kept of await keptCheckpoints(run, head.step)) log.storeCheckpoint(kept);
  }

  /** Once: that the browser clears nothing away when the disk fills up. */
  async #askToStay(): Promise<void> {
    const asked = 'rl-playground-persist';
    try {
      if (localStorage.getItem(asked) !== null) return;
      localStorage.setItem(asked, 'asked');
      await navigator.storage.persist();
    } catch {
      // Without it runs are kept as long as the browser likes.
    }
  }

  async #say(error: unknown): Promise<void> {
    const full = isFull(error);
    const free = await freeBytes();
    const room = free === null ? '' : ` It still gives ${bytesText(Math.max(0, free))}.`;
    this.#sayOnce({
      kind: 'warning',
      title: full ? 'The browser has no room to keep this run' : 'This run could not be kept in the browser',
      text: full
        ? `The run goes on, but a reload would cost what was made since the last commit.${room} Delete kept runs or models, or download a checkpoint.`
        : `${messageOf(error)} The run goes on. A reload would cost what was made since the last commit: download a checkpoint before you leave.`,
    });
  }

  /** The first problem of a run says enough of those after it. */
  #sayOnce(notice: Omit<Notice, 'id'>): void {
    if (this.#problemSaid) return;
    this.#problemSaid = true;
    this.#source.notify(notice);
  }
}

const isFull = (error: unknown): boolean => error instanceof KeepError && error.full;

/** Claims a run that nobody has; null where the browser keeps no files. */
async function newRun(): Promise<Claimed | null> {
  if ((await runsFolder()) === null) return null;
  const run = newRunId();
  const release = await claimRun(run);
  return release && { run, release, commits: [], weights: new PastWeightFiles(run) };
}
