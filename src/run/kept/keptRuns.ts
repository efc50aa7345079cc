/** The runs that the browser keeps. The page's own run is written there as it goes; others are listed, continued, followed, forked and deleted. */
import type { RunConfig } from '../settings/schema/schema.ts';
import { listedFiles } from '@rl-playground/engine/parts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { modelKey, modelProblem } from '../models/namedModels.ts';
import type { RunController } from '../session/controller.ts';
import { withoutLog, type Opened } from '../session/opening.ts';
import type { Session } from '../session/session.ts';
import type { RunListener } from '../session/types.ts';
import { RunLog } from '../records/runLog.ts';
import { headOf, type ForkPoint } from './keptRun.ts';
import { withKeptBase } from './keptBase.ts';
import { RunKeeper } from './runKeeper.ts';
import { deleteRun, keptCheckpoints, keptRuns, onChange, openCommit, type KeptRun } from './runStore.ts';

const titleOf = ({ newest: { task, step } }: KeptRun): string => `The run of ${task} at step ${step}`;

/** The key of the model that a new run after a kept one begins from, if settings can name it: the model as it was before that run. */
function namedModel({ model, runConfig }: CheckpointParts): string | null {
  if (runConfig === null || model.name !== runConfig.model || modelProblem(runConfig) !== null) return null;
  return modelKey(runConfig);
}

export class KeptRuns implements RunListener {
  readonly #page: RunController;
  /** Null where runs are not kept: a program that drives the page keeps them itself. */
  readonly #keeper: RunKeeper | null;
  /** Ends showing the run that another tab trains. */
  #unfollow: () => void = () => undefined;

  constructor(page: RunController, keeps: boolean) {
    this.#page = page;
    this.#keeper = keeps ? new RunKeeper(page) : null;
    page.hear(this);
  }

  /** The newest run comes first. */
  list(): Promise<readonly KeptRun[]> {
    return keptRuns();
  }

  /** @throws ModelFileError where a tab has it open. */
  remove({ run }: KeptRun): Promise<void> {
    return deleteRun(run);
  }

  /** `changed` is called after each commit and deletion, of this tab and others, until the function that is returned is called. */
  onChange(changed: () => void): () => void {
    return onChange(changed);
  }

  /** Whether closing the page now would cost work of the run. */
  unsaved(): boolean {
    return this.#keeper?.unsaved ?? false;
  }

  /** Whether weights of past steps are kept from now on. Where they are not, those of all runs are deleted. */
  async keepPastWeights(on: boolean): Promise<void> {
    await this.#keeper?.keepPastWeights(on);
  }

  /** Goes on with a run, as if its checkpoint was opened. */
  continue(kept: KeptRun): Promise<Partial<RunConfig> | null> {
    return this.#page.takeAndSay(titleOf(kept), async () => {
      if (this.#keeper === null) throw new Error('This page keeps no runs.');
      const { files, claim } = await this.#keeper.claim(kept);
      try {
        const parts = await this.#page.read(files);
        const log = new RunLog();
        await this.#keeper.restoreLog(log, claim);
        this.#page.leave();
        this.#keeper.write(claim);
        this.#page.named(kept.run);
        return { parts, log, modelKey: namedModel(parts) };
      } catch (error) {
        claim.release();
        throw error;
      }
    });
  }

  /** Goes on from one of a run's checkpoints under other settings, as a run of its own. */
  fork(kept: KeptRun, { number, step }: ForkPoint, config: RunConfig): Promise<Partial<RunConfig> | null> {
    return this.#page.takeAndSay(`Step ${step} of the run of ${kept.newest.task}`, async () => {
      const commit = kept.commits.find((each) => each.number === number);
      const saved = (await keptCheckpoints(kept.run, step)).find((each) => each.step === step);
      const files = commit
        ? (await openCommit(kept.run, commit)).files
        : saved && listedFiles(`The checkpoint of step ${step}`, saved.files);
      if (!files) throw new Error('This checkpoint is not kept any more.');
      const parts = await this.#page.read(await withKeptBase(files));
      this.#page.leave();
      return { parts: { ...parts, runConfig: config }, log: new RunLog(), modelKey: namedModel(parts) };
    });
  }

  /** The checkpoints that a run can be forked from, the newest first. */
  async forkPoints(kept: KeptRun): Promise<ForkPoint[]> {
    const points: ForkPoint[] = kept.commits.map(({ number, step }) => ({ number, step }));
    for (const { step } of await keptCheckpoints(kept.run, kept.newest.step))
      if (points.every((point) => point.step !== step)) points.push({ number: null, step });
    return points.filter(({ step }) => step > 0).sort((a, b) => b.step - a.step);
  }

  /** Shows a run that another tab trains, commit by commit, until something else is begun or opened here. */
  async follow(kept: KeptRun): Promise<Partial<RunConfig> | null> {
    const read = async (): Promise<Opened> => {
      const now = (await keptRuns()).find(({ run }) => run === kept.run);
      if (!now) throw new Error('It was deleted in another tab.');
      return withoutLog(this.#page.read((await openCommit(now.run, now.newest)).files));
    };
    const settings = await this.#page.takeAndSay(titleOf(kept), async () => {
      const opened = await read();
      this.#page.leave();
      return opened;
    });
    if (settings === null) return null;
    this.#page.named(kept.run);
    this.#unfollow = onChange((run) => {
      if (run === kept.run && !this.#page.isBusy) this.#page.take(read).catch(() => this.#unfollow());
    });
    return settings;
  }

  /** Keeps the run as it stands, between two pieces of work; resolves to whether a reload then costs nothing of it. */
  async keepNow(): Promise<boolean> {
    if (this.#keeper === null) return headOf(this.#page.run, null) === null;
    await this.#keeper.keep();
    await this.#keeper.written();
    return !this.#keeper.unsaved;
  }

  /** Weights that the run's generators had under a version, where they are kept. */
  readonly weightsOf = async (version: number): Promise<Float32Array | null> =>
    (await this.#keeper?.weightsOf(version)) ?? null;

  async opened({ log }: Session, how: { resumes: boolean; logIsWhole: boolean }): Promise<void> {
    this.#unfollow();
    if (!how.resumes) this.#keeper?.write(null);
    else if (!how.logIsWhole) await this.#keeper?.restoreLog(log);
    await this.#keeper?.enter();
    this.#page.named(this.#keeper?.run ?? null);
  }

  async betweenSteps(): Promise<void> {
    await this.#keeper?.keepWhenDue();
  }

  async atRest(): Promise<void> {
    await this.#keeper?.keep();
    if (this.#keeper?.run) this.#page.named(this.#keeper.run);
  }

  discarded(): void {
    this.#unfollow();
    this.#keeper?.write(null);
    this.#page.named(null);
  }

  async lost() {
    return (await this.#keeper?.newest()) ?? null;
  }
}
