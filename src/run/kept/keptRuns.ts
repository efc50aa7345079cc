/** The runs that the browser keeps. The page's own run is written there as it goes; others are listed, continued, followed, forked and deleted. */
import type { RunConfig } from '../settings/schema/schema.ts';
import { listedFiles } from '@rl-playground/engine/parts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { modelKey, modelProblem } from '../models/namedModels.ts';
import { withoutLog, type Opened } from '../session/opening.ts';
import { RunLog } from '../records/runLog.ts';
import type { ForkPoint } from './keptRun.ts';
import { withKeptBase } from './keptBase.ts';
import { RunKeeper } from './runKeeper.ts';
import { deleteRun, keptCheckpoints, keptRuns, onChange, openCommit, type KeptRun } from './runStore.ts';

const titleOf = ({ newest: { task, step } }: KeptRun): string => `The run of ${task} at step ${step}`;

/** The key of the model that a new run after a kept one begins from, if settings can name it: the model as it was before that run. */
function namedModel({ model, runConfig }: CheckpointParts): string | null {
  if (runConfig === null || model.name !== runConfig.model || modelProblem(runConfig) !== null) return null;
  return modelKey(runConfig);
}

export class KeptRuns extends RunKeeper {
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

  /** Goes on with a run, as if its checkpoint was opened. */
  continue(kept: KeptRun): Promise<Partial<RunConfig> | null> {
    return this.page.takeAndSay(titleOf(kept), async () => {
      const { files, log, claim } = await this.claim(kept);
      try {
        const parts = await this.page.read(files);
        this.page.leave();
        this.write(claim);
        this.page.update({ run: kept.run });
        return { parts, log, modelKey: namedModel(parts) };
      } catch (error) {
        claim.release();
        throw error;
      }
    });
  }

  /** Goes on from one of a run's checkpoints under other settings, as a run of its own. */
  fork(kept: KeptRun, { number, step }: ForkPoint, config: RunConfig): Promise<Partial<RunConfig> | null> {
    return this.page.takeAndSay(`Step ${step} of the run of ${kept.newest.task}`, async () => {
      const commit = kept.commits.find((each) => each.number === number);
      const saved = (await keptCheckpoints(kept.run, step)).find((each) => each.step === step);
      const files = commit
        ? (await openCommit(kept.run, commit)).files
        : saved && listedFiles(`The checkpoint of step ${step}`, saved.files);
      if (!files) throw new Error('This checkpoint is not kept any more.');
      const parts = await this.page.read(await withKeptBase(files));
      this.page.leave();
      const trainerState = parts.trainerState && { ...parts.trainerState, settingsSince: step };
      const forked = { ...parts, runConfig: config, trainerState };
      return { parts: forked, log: new RunLog(), modelKey: namedModel(parts) };
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
      return withoutLog(this.page.read((await openCommit(now.run, now.newest)).files));
    };
    const settings = await this.page.takeAndSay(titleOf(kept), async () => {
      const opened = await read();
      this.page.leave();
      return opened;
    });
    if (settings === null) return null;
    this.page.update({ run: kept.run });
    const unfollow = onChange((run) => {
      if (run === kept.run && !this.page.isBusy) this.page.take(read).catch(end);
    });
    const ignore = this.page.hear({ opened: () => Promise.resolve(end()), discarded: () => end() });
    const end = (): void => {
      unfollow();
      ignore();
    };
    return settings;
  }
}
