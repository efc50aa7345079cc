/** Kept runs as the page has them: the one that goes on is kept, others are continued, followed and deleted. */
import type { RunConfig } from '../settings/schema/schema.ts';
import { listedFiles, type ModelFiles } from '@rl-playground/engine/parts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { modelKey, modelProblem } from '../models/namedModels.ts';
import { withoutLog, type Opened } from '../session/opening.ts';
import { RunLog } from '../records/runLog.ts';
import type { KeptCheckpoint } from '../session/recovery.ts';
import type { KeptRunsOfPage } from '../session/types.ts';
import type { ForkPoint } from './keptRun.ts';
import { withKeptBase } from './keptBase.ts';
import { RunKeeper, type KeptSource } from './runKeeper.ts';
import { deleteRun, keptCheckpoints, keptRuns, onChange, openCommit, type KeptRun } from './runStore.ts';

/** The page, as far as kept runs change it. */
export interface KeptPage extends KeptSource {
  /** Whether runs are kept at all; a program that drives the page keeps them itself. */
  readonly keeps: boolean;
  /** Whether no work is under way. */
  idle(): boolean;
  opened(files: ModelFiles): Promise<CheckpointParts>;
  discard(): void;
  /** Takes what `read` resolves to in place of what is loaded. */
  open(read: () => Promise<Opened>): Promise<unknown>;
  /** Likewise; a notice says which it is, or why it is not. */
  openAndSay(title: string, read: () => Promise<Opened>): Promise<Partial<RunConfig> | null>;
  /** The run that the page shows is kept under this id; null where it is not kept. */
  named(run: string | null): void;
}

const titleOf = ({ newest: { task, step } }: KeptRun): string => `The run of ${task} at step ${step}`;

/** What a new run after a kept one begins from, if settings can name it: not what that run has made of it. */
function namedModel({ model, runConfig }: CheckpointParts): string | null {
  if (runConfig === null || model.name !== runConfig.model || modelProblem(runConfig) !== null) return null;
  return modelKey(runConfig);
}

export class KeptRuns implements KeptRunsOfPage {
  readonly #page: KeptPage;
  readonly #keeper: RunKeeper | null;
  /** Ends showing what another tab trains. */
  #unfollow: () => void = () => undefined;

  constructor(page: KeptPage) {
    this.#page = page;
    this.#keeper = page.keeps ? new RunKeeper(page) : null;
  }

  readonly list = (): Promise<readonly KeptRun[]> => keptRuns();
  readonly remove = ({ run }: KeptRun): Promise<void> => deleteRun(run);
  readonly onChange = (changed: () => void): void => void onChange(changed);
  readonly unsaved = (): boolean => this.#keeper?.unsaved ?? false;

  async keepPastWeights(on: boolean): Promise<void> {
    await this.#keeper?.keepPastWeights(on);
  }

  continue(kept: KeptRun): Promise<Partial<RunConfig> | null> {
    return this.#page.openAndSay(titleOf(kept), async () => {
      if (this.#keeper === null) throw new Error('This page keeps no runs.');
      const files = await this.#keeper.resume(kept);
      try {
        const parts = await this.#page.opened(files);
        this.#page.discard();
        this.#unfollow();
        const log = new RunLog();
        await this.#keeper.restoreLog(log);
        this.#page.named(kept.run);
        return { parts, log, modelKey: namedModel(parts) };
      } catch (error) {
        this.#keeper.leave();
        throw error;
      }
    });
  }

  /** Another run, which goes on from a checkpoint of `kept` under other settings. */
  fork(kept: KeptRun, { number, step }: ForkPoint, config: RunConfig): Promise<Partial<RunConfig> | null> {
    return this.#page.openAndSay(`Step ${step} of the run of ${kept.newest.task}`, async () => {
      const commit = kept.commits.find((each) => each.number === number);
      const saved = (await keptCheckpoints(kept.run, step)).find((each) => each.step === step);
      const files = commit
        ? (await openCommit(kept.run, commit)).files
        : saved && listedFiles(`The checkpoint of step ${step}`, saved.files);
      if (!files) throw new Error('This checkpoint is not kept any more.');
      const parts = await this.#page.opened(await withKeptBase(files));
      this.leave();
      return { parts: { ...parts, runConfig: config }, log: new RunLog(), modelKey: namedModel(parts) };
    });
  }

  /** The checkpoints that a run can be forked from, the newest first. */
  async forkPoints(kept: KeptRun): Promise<ForkPoint[]> {
    const points: ForkPoint[] = kept.commits.map(({ number, commit }) => ({ number, step: commit.step }));
    for (const { step } of await keptCheckpoints(kept.run, kept.newest.step))
      if (points.every((point) => point.step !== step)) points.push({ number: null, step });
    return points.filter(({ step }) => step > 0).sort((a, b) => b.step - a.step);
  }

  async follow(kept: KeptRun): Promise<Partial<RunConfig> | null> {
    const read = async (): Promise<Opened> => {
      const now = (await keptRuns()).find(({ run }) => run === kept.run);
      const at = now?.commits.at(-1);
      if (!now || !at) throw new Error('It was deleted in another tab.');
      return withoutLog(this.#page.opened((await openCommit(now.run, at)).files));
    };
    const settings = await this.#page.openAndSay(titleOf(kept), async () => {
      const opened = await read();
      this.leave();
      return opened;
    });
    if (settings === null) return null;
    this.#page.named(kept.run);
    this.#unfollow = onChange((run) => {
      if (run === kept.run && this.#page.idle()) this.#page.open(read).catch(() => this.#unfollow());
    });
    return settings;
  }

  /** A session begins. `logIsWhole`: the log that it goes on with is that of the run already. */
  async begins(
    log: RunLog,
    { resumes, logIsWhole }: { resumes: boolean; logIsWhole: boolean },
  ): Promise<void> {
    this.#unfollow();
    if (!resumes) this.#keeper?.leave();
    else if (!logIsWhole) await this.#keeper?.restoreLog(log);
    await this.#keeper?.enter();
    this.#page.named(this.#keeper?.run ?? null);
  }

  /** Another run or none takes the place of the one that is there; what is kept of it stays. */
  leave(): void {
    this.#page.discard();
    this.#unfollow();
    this.#keeper?.leave();
    this.#page.named(null);
  }

  async keepWhenDue(): Promise<void> {
    await this.#keeper?.keepWhenDue();
  }

  /** Weights that the run's generators had, where they are kept. */
  readonly weightsOf = async (version: number): Promise<Float32Array | null> =>
    (await this.#keeper?.weightsOf(version)) ?? null;

  async keep(): Promise<void> {
    if (this.#keeper === null) return;
    await this.#keeper.keep();
    if (this.#keeper.run !== null) this.#page.named(this.#keeper.run);
  }

  async keepNow(): Promise<boolean> {
    if (this.#keeper === null) return this.#page.head() === null;
    await this.#keeper.keep();
    await this.#keeper.written();
    return !this.#keeper.unsaved;
  }

  async newest(): Promise<KeptCheckpoint | null> {
    return (await this.#keeper?.newest()) ?? null;
  }
}
