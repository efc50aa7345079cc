/** Takes what is opened in place of what is loaded: a checkpoint, a run directory, a model, a run that this browser keeps. */
import type { RunConfig } from '../settings/schema/schema.ts';
import { messageOf } from '@rl-playground/base/errors';
import type { ModelFiles } from '@rl-playground/engine/parts';
import type { RunDriver } from './driver.ts';
import { titleOf, type ChosenFile } from './chosenFiles.ts';
import { describeOpened, openedFiles, openedModel, openedRun, withoutLog, type Opened } from './opening.ts';
import type { Stand } from './recovery.ts';
import type { StartingPoint } from './startingPoint.ts';
import { restingPhase, type RunState } from './state.ts';
import type { ControllerOptions } from './types.ts';

/** The page that opens it. */
export interface OpeningPage {
  readonly options: ControllerOptions;
  readonly start: StartingPoint;
  readonly state: RunState;
  readonly driver: RunDriver;
  /** Resolves when the page can take something. @throws Error while a run goes on. */
  ready(): Promise<void>;
  /** Another run or none takes the place of the one that is there. */
  leave(): void;
  /** A run was opened together with what is kept of it. */
  standsAt(stand: Stand): void;
}

export class RunOpener {
  readonly #page: OpeningPage;

  constructor(page: OpeningPage) {
    this.#page = page;
  }

  /** What `read` resolves to takes the place of what is loaded; on any error that stays. */
  async open(read: () => Promise<Opened>): Promise<Opened> {
    const { start, driver, state } = this.#page;
    await this.#page.ready();
    const { phase } = state.snapshot;
    let after = phase;
    try {
      const opened = await read();
      const { parts, log, modelKey = null } = opened;
      start.adopt(parts, modelKey);
      if (log !== null) this.#page.standsAt({ parts, log });
      driver.forgetAlarm();
      after = restingPhase(parts);
      return opened;
    } finally {
      driver.rest(after);
    }
  }

  /** Likewise; a notice says which it is, or why it is not. */
  async openAndSay(title: string, read: () => Promise<Opened>): Promise<Partial<RunConfig> | null> {
    const { state } = this.#page;
    try {
      const { text, settings } = describeOpened(await this.open(read));
      state.notify({ kind: 'info', title: `${title} is loaded`, text });
      return settings;
    } catch (error) {
      state.notify({ kind: 'error', title: `${title} was not loaded`, text: messageOf(error) });
      return null;
    }
  }

  load(chosen: readonly ChosenFile[]): Promise<Partial<RunConfig> | null> {
    return this.openAndSay(titleOf(chosen), () =>
      this.#inPlace(openedFiles(chosen, this.#page.options, this.#page.start.parts?.model)),
    );
  }

  async takeModel(files: ModelFiles, adapter: ModelFiles | null): Promise<Partial<RunConfig> | null> {
    const onProgress = (file: string, done: number, total: number): void =>
      this.#page.state.loading(`Loading the model ${files.label}: ${file}`, done, total);
    const opened = await this.open(() =>
      this.#inPlace(withoutLog(openedModel(files, adapter, { onProgress }))),
    );
    return describeOpened(opened).settings;
  }

  async takeRun(files: ModelFiles): Promise<void> {
    const { options, start } = this.#page;
    await this.open(() => this.#inPlace(withoutLog(openedRun(files, options, start.parts?.model))));
  }

  /** Once it is read, it is not the run that is kept. */
  async #inPlace(reading: Promise<Opened>): Promise<Opened> {
    const opened = await reading;
    this.#page.leave();
    return opened;
  }
}
