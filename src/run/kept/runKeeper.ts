/** Keeps the page's run in the browser as it goes, so that a reload, a crash or a lost device costs a step or ten seconds of it. */
import { messageOf } from '@rl-playground/base/errors';
import { bytesText } from '@rl-playground/base/text';
import {
  freeBytes,
  contentOf,
  type LoadedModel,
  type ModelFiles,
  type OpenFile,
} from '@rl-playground/engine/parts';
import { withBase } from '../checkpoint/baseModel.ts';
import { BASE_FILE } from '../checkpoint/runFiles.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import { writeMetricsLog } from '../records/metricsLog.ts';
import { RunLog } from '../records/runLog.ts';
import type { RunController } from '../session/controller.ts';
import { Session } from '../session/session.ts';
import type { Checkpoint, Notice, RunListener } from '../session/types.ts';
import { CommitWriter, KeepError } from './commitWriter.ts';
import { isCached, withKeptBase } from './keptBase.ts';
import {
  BASE_FOLDER,
  bestOf,
  commitFolder,
  headOf,
  keptCheckpointFolder,
  stateKey,
  superseded,
  type Commit,
  type CommitHead,
  type LineEnds,
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

/** The lines that came since the newest commit. */
interface GrownLines {
  readonly lines: { readonly rollouts: string; readonly metrics: string };
  /** The steps whose answers are kept with these lines. */
  readonly rolloutSteps: number;
}
const NO_LINES: GrownLines = { lines: { rollouts: '', metrics: '' }, rolloutSteps: 0 };

/** The notice of a browser without a private file system. */
const NO_FILES: Omit<Notice, 'id'> = {
  kind: 'warning',
  title: 'This browser can’t keep runs',
  text: 'It has no private file system for this page, as in some private windows. The run continues, but a reload would lose it: download a checkpoint before you leave.',
};

/** A run that this tab alone may write. */
export interface Claim {
  readonly run: string;
  readonly release: () => void;
  commits: readonly Commit[];
  weights: PastWeightFiles;
}

export class RunKeeper implements RunListener {
  protected readonly page: RunController;
  readonly #keeps: boolean;
  readonly #writer = new CommitWriter();
  #claim: Claim | null = null;
  #keepsPast = true;
  #writing: Promise<void> | null = null;
  /** Ends once what the next commit holds is taken. */
  #taking: Promise<void> | null = null;
  /** Requests to keep the run are served one after the other: the page asks when a run comes to rest, and a person may do so too. */
  #keeping: Promise<void> = Promise.resolve();
  /** The state in the newest commit (`stateKey`). */
  #keptState: string | null = null;
  #lastBegan = 0;
  #problemSaid = false;

  /** `keeps`: runs are kept; a program that drives the page keeps them itself. */
  constructor(page: RunController, keeps: boolean) {
    this.page = page;
    this.#keeps = keeps;
    if (keeps) page.hear(this);
  }

  /** The head of a commit of the present state; null if there is nothing to keep yet. */
  get #head(): CommitHead | null {
    return headOf(this.page.run, this.page.snapshot().modelName);
  }

  /** True if closing the page now would cost work of the run. */
  unsaved(): boolean {
    const head = this.#head;
    return this.#keeps && head !== null && stateKey(head) !== this.#keptState;
  }

  /** Keeps the run between two pieces of work. Resolves to true if a reload then costs nothing of it. */
  async keepNow(): Promise<boolean> {
    if (!this.#keeps) return this.#head === null;
    await this.atRest();
    await this.#writing;
    await this.#claim?.weights.written();
    return !this.unsaved();
  }

  async opened(_: Session, resumes: boolean): Promise<void> {
    if (!resumes) this.write(null);
    this.#claim ??= await newRun();
    this.page.update({ run: this.#claim?.run ?? null });
  }

  /** Keeps the run where ten seconds have gone by, or where no weights before were right as often. */
  async betweenSteps(): Promise<void> {
    this.#keepWeights();
    if (this.#writing !== null || !this.unsaved()) return;
    const best = bestOf(this.#claim?.commits ?? [])?.accuracy ?? null;
    const accuracy = this.#head?.accuracy ?? null;
    const isBest = accuracy !== null && (best === null || accuracy > best);
    if (isBest || performance.now() - this.#lastBegan >= INTERVAL) await this.#begin();
  }

  /** Keeps the run. Resolves when its files are being written. */
  atRest(): Promise<void> {
    this.#keeping = this.#keeping.then(async () => {
      this.#keepWeights();
      await this.#writing;
      if (this.unsaved()) await this.#begin();
      if (this.#claim) this.page.update({ run: this.#claim.run });
    });
    return this.#keeping;
  }

  discarded(): void {
    this.write(null);
    this.page.update({ run: null });
  }

  async lost(): Promise<Checkpoint | null> {
    await this.#writing;
    const newest = this.#claim?.commits.at(-1);
    if (!this.#claim || !newest) return null;
    const { files } = await openCommit(this.#claim.run, newest);
    return { step: newest.step, files: await withKeptBase(files) };
  }

  /** Turns to the run of `claim`, or with null to a new one, and keeps that from now on. The commits of the one before stay. */
  protected write(claim: Claim | null): void {
    this.#claim?.release();
    this.#claim = claim;
    const newest = claim?.commits.at(-1);
    this.#keptState = newest ? stateKey(newest) : null;
    this.#problemSaid = false;
    this.#lastBegan = performance.now();
  }

  /**
   * Claims a kept run, and opens its newest commit that is whole.
   * @throws Error where another tab writes the run, or none of its commits is whole.
   */
  protected async claim({
    run,
    commits,
  }: KeptRun): Promise<{ files: ModelFiles; log: RunLog; claim: Claim }> {
    if (!this.#keeps) throw new Error('This page can’t keep runs.');
    const release = await claimRun(run);
    if (release === null)
      throw new Error(
        'This run is open in another tab, which continues it. Read along here, or close that tab first.',
      );
    let problem: unknown = null;
    for (const [i, commit] of [...commits.entries()].reverse()) {
      try {
        await this.#writer.verify(run, commit.number);
        const { files, rollouts } = await openCommit(run, commit);
        const log = new RunLog();
        log.store(commit.step, { steps: commit.rolloutSteps, file: rollouts });
        for (const kept of await keptCheckpoints(run, commit.step)) log.storeCheckpoint(kept);
        const weights = new PastWeightFiles(run);
        const claim = { run, release, commits: commits.slice(0, i + 1), weights };
        return { files: await withKeptBase(files), log, claim };
      } catch (error) {
        problem ??= error;
      }
    }
    release();
    throw new Error(
      `None of its ${commits.length} saved states is complete: ${messageOf(problem)} Delete the run.`,
    );
  }

  /** The weights that the run's generators had under a version; null where they are not kept. */
  readonly weightsOf = async (version: number): Promise<Float32Array | null> =>
    (await this.#claim?.weights.of(version)) ?? null;

  #keepWeights(): void {
    const { run } = this.page;
    const past = run instanceof Session ? run.engine.past : null;
    if (run !== null && past !== null && this.#keepsPast)
      this.#claim?.weights.take(past, new Set(run.evaluations.map(({ step }) => step)));
  }

  /** Sets whether weights of past steps are kept from now on. If they are not, those of all runs are deleted. */
  async keepPastWeights(on: boolean): Promise<void> {
    this.#keepsPast = on;
    if (on) return;
    const claim = this.#claim;
    await claim?.weights.written();
    await forgetPastWeights();
    if (claim) claim.weights = new PastWeightFiles(claim.run);
  }

  /** Begins a commit, one at a time. Resolves once weights and log are taken; they are written while the run goes on. */
  #begin(): Promise<void> {
    return (this.#taking ??= this.#take().finally(() => {
      this.#taking = null;
    }));
  }

  async #take(): Promise<void> {
    // One that began in the meantime may hold the same state.
    await this.#writing;
    if (!this.unsaved()) return;
    const head = this.#head;
    const log = this.page.run?.log;
    if (head === null || !log) return;
    this.#lastBegan = performance.now();
    try {
      this.#claim ??= await newRun();
      if (this.#claim === null) {
        this.#sayOnce(NO_FILES);
        return;
      }
      const parts = await this.page.parts();
      const files = await checkpointFiles(parts, { log: false });
      const claim = this.#claim;
      const newest = claim.commits.at(-1);
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
      const write = (): Promise<void> =>
        this.#write(claim, head, parts.model, files, { log, lines, rolloutSteps });
      this.#writing = write()
        .catch(async (error: unknown) => {
          if (!isFull(error) || !(await claim.weights.giveWay())) throw error;
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
    claim: Claim,
    head: CommitHead,
    model: LoadedModel,
    files: ReadonlyMap<string, OpenFile>,
    grown: GrownLines & { readonly log: RunLog },
  ): Promise<void> {
    const { run, commits } = claim;
    const newest = commits.at(-1);
    const after = { rollouts: newest?.rolloutBytes ?? 0, metrics: newest?.metricsBytes ?? 0 };
    if (files.has(BASE_FILE) && !(await keepsBase(run)) && !(await isCached(model))) {
      const base = [...withBase(files, model)].filter(([path]) => path.startsWith(`${BASE_FOLDER}/`));
      await this.#writer.write(run, BASE_FOLDER, new Map(base), { head, after, ...NO_LINES, remove: [] });
    }
    // The checkpoints come before the commit, so that a run which goes on from it has them too.
    const { log, lines, rolloutSteps } = grown;
    await this.#storeCheckpoints(run, head, after, log);
    const number = (newest?.number ?? 0) + 1;
    const old = superseded([...commits, { ...head, number }]);
    const record = await this.#writer.write(run, commitFolder(number), files, {
      head,
      after,
      lines,
      rolloutSteps,
      remove: old.map((each) => commitFolder(each.number)),
    });
    const commit = { ...record, number };
    claim.commits = [...commits.filter((each) => old.every((gone) => gone.number !== each.number)), commit];
    if (this.#claim !== claim) return;
    this.#keptState = stateKey(commit);
    const { rollouts } = await openCommit(run, commit);
    log.store(commit.step, { steps: commit.rolloutSteps, file: rollouts });
    tell(run);
    await this.#askToStay();
  }

  /** Writes the checkpoints that the settings ask for, which then leave the memory. */
  async #storeCheckpoints(run: string, head: CommitHead, after: LineEnds, log: RunLog): Promise<void> {
    for (const { step, files, stored } of log.checkpoints) {
      if (stored === true) continue;
      const folder = keptCheckpointFolder(step);
      const end = { head: { ...head, step }, after, ...NO_LINES, remove: [] };
      await this.#writer.write(run, folder, files, end);
    }
    for (const kept of await keptCheckpoints(run, head.step)) log.storeCheckpoint(kept);
  }

  /** Asks the browser, once, to clear nothing away when the disk fills up. */
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
    const room = free === null ? '' : ` It has room for ${bytesText(Math.max(0, free))}.`;
    this.#sayOnce({
      kind: 'warning',
      title: full ? 'The browser has no room to keep this run' : 'This run could not be kept in the browser',
      text: full
        ? `The run continues, but a reload would lose everything since the last save.${room} Delete kept runs or models, or download a checkpoint.`
        : `${messageOf(error)} The run continues. A reload would lose everything since the last save: download a checkpoint before you leave.`,
    });
  }

  /** Says the first problem of a run. Those after it would say the same. */
  #sayOnce(notice: Omit<Notice, 'id'>): void {
    if (this.#problemSaid) return;
    this.#problemSaid = true;
    this.page.notify(notice);
  }
}

const isFull = (error: unknown): boolean => error instanceof KeepError && error.full;

/** Claims a new run; null where the browser keeps no files. */
async function newRun(): Promise<Claim | null> {
  if ((await runsFolder()) === null) return null;
  const run = newRunId();
  const release = await claimRun(run);
  return release && { run, release, commits: [], weights: new PastWeightFiles(run) };
}
