/** The run of the page: it opens, trains, pauses, stops and is saved as a person asks, one piece of work at a time. */
import { onDeviceProblem, breathe, type ModelFiles } from '@rl-playground/engine/parts';
import { checkBackend } from '@rl-playground/engine/parts/tensors';
import { messageOf } from '@rl-playground/base/errors';
import type { RunConfig } from '../settings/schema/schema.ts';
import { openingModel } from '../models/bundledModels.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { withBase } from '../checkpoint/baseModel.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import { runFiles } from '../directory/runDirectory.ts';
import { type Download, stepOf, zipDownload } from '../export/zipDownload.ts';
import { RunLog } from '../records/runLog.ts';
import { titleOf } from './chosenFiles.ts';
import { RunDevice } from './device.ts';
import { RunDriver } from './driver.ts';
import { describeOpened, openedFiles, openedNamed, openedRun, withoutLog, type Opened } from './opening.ts';
import { BETWEEN_STEPS, UNSEEN, type Asked, type Found, type Look, type Sights } from './looks.ts';
import { causeOf, checkpointReader, failureText, isLoss, spoilsDevice, standBefore } from './recovery.ts';
import { RunMachine, standAt, type Run, type Stand } from './runState.ts';
import { Session } from './session.ts';
import { restingPhase, ShownRun } from './snapshot.ts';
import { StartingPoint } from './startingPoint.ts';
import type {
  ControllerOptions,
  Extent,
  Checkpoint,
  Openable,
  RunAtRest,
  RunListener,
  RunPhase,
  SaveOptions,
} from './types.ts';

const FAILURES: Record<Extent, string> = {
  run: 'Training stopped with an error',
  warmUp: 'The supervised warm-up stopped with an error',
  step: 'The step failed',
};

/** The number of times that a lost GPU is opened again without being asked. */
const MOST_REOPENINGS = 2;

export class RunController extends ShownRun {
  readonly #options: ControllerOptions;
  readonly #machine = new RunMachine();
  readonly #driver: RunDriver;
  /** The model that runs begin from, and what can be asked of it without a device. */
  readonly start: StartingPoint;
  readonly device: RunDevice;
  /** Ends with the work under way. */
  #done: Promise<void> = Promise.resolve();
  /** Ends with what reads the weights: the engine's start, and saving. Whatever is asked for in the meantime waits for it. */
  #ready: Promise<void>;
  /** Work that waits until weights and log are of one step. */
  readonly #turns: (() => Promise<void>)[] = [];

  /** Starts the engine. The run is in phase `loading` while the backend and the model come up. */
  constructor(options: ControllerOptions) {
    super();
    this.#options = options;
    this.start = new StartingPoint(this, this.#machine, options.sftFiles);
    this.device = new RunDevice(options, this.#machine, this, this.start);
    this.#driver = new RunDriver(this, this.#machine, { ...options, untrained: this.start.untrained });
    this.hear(this.#driver);
    checkpointReader().catch(() => undefined);
    // Work under way asks for itself, before it counts as done.
    onDeviceProblem(() => {
      if (!this.isBusy && this.#machine.state.name !== 'Lost')
        void this.#exclusively('The GPU had a problem', () => Promise.resolve(this.snapshot().phase));
    });
    this.#ready = this.#exclusively('The engine could not start', async () => {
      await this.start.loadBundled(openingModel(options.model), this.device.start(options.backend));
      return 'idle';
    });
  }

  /** `listener` hears what becomes of the run, until the function that is returned is called. */
  hear(listener: RunListener): () => void {
    this.#machine.listeners.add(listener);
    return () => this.#machine.listeners.delete(listener);
  }

  get run(): Run | null {
    return this.#machine.run;
  }

  get isBusy(): boolean {
    return this.#machine.isBusy;
  }

  /** The current run as a checkpoint has it, or else what is loaded. It is called between two steps. */
  async parts(): Promise<CheckpointParts> {
    return this.run?.parts() ?? this.start.loaded();
  }

  /** The run between two of its steps. Rejects where its weights are gone. */
  atRest(): Promise<RunAtRest> {
    return this.beside(async () => ({
      parts: await this.parts(),
      began: this.start.loaded().model.weights,
      log: this.run?.log ?? null,
    }));
  }

  /**
   * Opens files, or a model beside the page, in place of what is loaded; resolves to the settings that they bring along. Where a person
   * chose it, a notice says what was loaded. On any error the current run stays as it was: for files that a person chose a notice says why,
   * for others the promise rejects.
   */
  async open(what: Openable): Promise<Partial<RunConfig> | null> {
    if ('chosen' in what)
      return this.takeAndSay(titleOf(what.chosen), () =>
        this.#instead(openedFiles(what.chosen, this.#options, this.start.parts?.model)),
      );
    if ('run' in what)
      return describeOpened(await this.take(() => this.#instead(withoutLog(this.read(what.run))))).settings;
    const opened = await this.take(() => this.#instead(openedNamed(what, this.loading)));
    const told = 'bundled' in what ? what.bundled : what.byHand === true ? what.model.label : null;
    return told === null ? describeOpened(opened).settings : this.#said(told, opened);
  }

  /** Begins a run of these settings or goes on with one, to its end or as far as `extent` says. `byHand` if a person begins it, who can answer questions. */
  async train(config: RunConfig, extent: Extent = 'run', byHand = false): Promise<void> {
    await this.#ready;
    if (!this.#canBegin(config)) return;
    const attempt = async (): Promise<RunPhase> => {
      await this.device.renew();
      const session = await this.device.sessionFor(config, 'train');
      const betweenSteps = (): Promise<void> => this.#serve(this.#machine.signal);
      if (extent === 'warmUp') return this.#driver.fineTune(session, betweenSteps);
      const steps = extent === 'step' ? 1 : Infinity;
      return this.#driver.run(session, config, steps, betweenSteps, byHand);
    };
    await this.#exclusively(FAILURES[extent], async () => {
      for (let reopened = 1; ; reopened++) {
        try {
          return await attempt();
        } catch (error) {
          const cause = await causeOf(error);
          if (!isLoss(cause) || reopened > MOST_REOPENINGS) throw error;
          const { run, text } = await this.#afterFailure(cause);
          this.#machine.apply({ type: 'reopen', run });
          const again = `It was restarted (${reopened} of ${MOST_REOPENINGS} times), and the run continues.`;
          this.notify({ kind: 'warning', title: 'The GPU was lost', text: `${text}\n${again}` });
        }
      }
    });
  }

  /** The run begins without the answers that are being tried before its first step. */
  readonly skip = (): void => this.#driver.skip();

  /** The run rests after the step under way. */
  pause(): void {
    if (!this.isBusy || this.#machine.wish === 'stop') return;
    this.#machine.want('pause');
    this.update({ phase: 'pausing' });
  }

  /** The run rests at once where answers are being sampled, else after the update under way. Then its weights are evaluated. */
  stop(): void {
    if (this.isBusy) {
      this.#machine.want('stop', { atOnce: true });
      this.update({ phase: 'stopping' });
      return;
    }
    const { name, run } = this.#machine.state;
    if (name === 'Resting' && run instanceof Session)
      void this.#exclusively('The evaluation failed', () => this.#driver.close(run, 'stopped'));
  }

  /** Ends the run as soon as possible and without an evaluation, and goes back to the model as it was loaded. */
  async reset(): Promise<void> {
    if (this.isBusy) this.#machine.want('pause', { atOnce: true });
    await this.#done;
    await this.#ready;
    const { parts, isOurs, bundledName } = this.start;
    await this.#exclusively(`The model ${bundledName} could not be loaded again`, async () => {
      this.leave();
      await this.device.renew();
      // A model that the user brought stays: its weights are read anew by the next run.
      if (!isOurs && parts?.runConfig === null) this.start.adopt(parts);
      else await this.start.loadBundled(bundledName);
      return 'idle';
    });
  }

  /**
   * Finds something out of the run of these settings without changing its weights; null where that fails, which a notice explains. A run on
   * the device is asked for what is `BETWEEN_STEPS` without a pause; where there is none, and no settings bring it there, null is found.
   */
  async look<L extends Look>(at: L, config: RunConfig | null, ...asked: Asked<L>): Promise<Found<L> | null> {
    const sights: Sights = this.#driver;
    if (!BETWEEN_STEPS.has(at)) return this.#onDevice(at, config, (session) => sights[at](session, ...asked));
    const session =
      this.run instanceof Session ? this.run : await this.#onDevice(at, config, async (one) => one);
    return session && this.beside(() => sights[at](session, ...asked));
  }

  /** Brings the run of these settings onto the device for some work, which the run waits for; null where that fails, which a notice explains. */
  async #onDevice<T>(
    at: Look,
    config: RunConfig | null,
    work: (session: Session) => Promise<T>,
  ): Promise<T | null> {
    await this.#ready;
    if (config === null || !this.#canBegin(config, 'evaluate')) return null;
    const found: T[] = [];
    await this.#exclusively(UNSEEN[at], async () => {
      await this.device.renew();
      const { phase } = this.snapshot();
      found.push(await work(await this.device.sessionFor(config, 'evaluate')));
      return phase === 'loading' || phase === 'failed' ? 'paused' : phase;
    });
    return found[0] ?? null;
  }

  /**
   * The current run as a zip: a checkpoint in Hugging Face layout, its run directory, or the checkpoint of a step that was kept on the way,
   * which is then kept no longer. @throws Error where there is none.
   */
  async save(
    what: 'checkpoint' | 'directory' | number,
    { full = false, words = null }: SaveOptions = {},
  ): Promise<Download> {
    if (typeof what === 'number') {
      const log = this.run?.log;
      const files = log?.checkpoints.find(({ step }) => step === what)?.files;
      if (!log || !files) throw new Error(`No checkpoint of step ${what} is kept.`);
      log.releaseCheckpoint(what);
      const { config } = this.snapshot();
      return zipDownload(
        { config, step: what },
        '',
        full ? withBase(files, this.start.loaded().model) : files,
      );
    }
    const { parts, log } = await this.atRest();
    if (what === 'directory')
      return zipDownload(stepOf(parts), '-run', await runFiles(parts, log ?? new RunLog(), words));
    const files = await checkpointFiles(parts);
    return zipDownload(stepOf(parts), '', full ? withBase(files, parts.model) : files);
  }

  /** The run goes on on another device. */
  async switchBackend(backend: 'webgpu' | 'wasm'): Promise<void> {
    await this.#ready;
    await this.#exclusively('The device could not be switched', async () => {
      const { phase } = this.snapshot();
      await this.device.leave();
      const parts = await this.parts();
      await this.device.start(backend);
      return phase === 'failed' ? restingPhase(parts) : phase;
    });
  }

  /** Reads a checkpoint. What lies in it beside the run goes to the page. */
  read(files: ModelFiles): Promise<CheckpointParts> {
    return openedRun(files, this.#options, this.start.parts?.model);
  }

  /** Puts what `read` resolves to in place of what is loaded, which stays on any error. */
  async take(read: () => Promise<Opened>): Promise<Opened> {
    await this.#ready;
    this.#machine.apply({ type: 'begin' });
    return this.#whileReading(async () => {
      let { phase } = this.snapshot();
      try {
        const opened = await read();
        const { parts, log, modelKey = null } = opened;
        this.start.adopt(parts, modelKey);
        if (log !== null) this.#machine.apply({ type: 'hold', run: standAt(parts, log) });
        phase = restingPhase(parts);
        return opened;
      } finally {
        this.#machine.apply({ type: 'rest', run: this.run });
        this.update({ phase, progress: null });
        void this.#serve().then(() => this.#rest());
      }
    });
  }

  /** The same. A notice says what was loaded, or why it was not. */
  async takeAndSay(title: string, read: () => Promise<Opened>): Promise<Partial<RunConfig> | null> {
    try {
      return this.#said(title, await this.take(read));
    } catch (error) {
      this.notify({ kind: 'error', title: `${title} was not loaded`, text: messageOf(error) });
      return null;
    }
  }

  /** Says what was loaded; returns the settings that it brings along. */
  #said(title: string, opened: Opened): Partial<RunConfig> | null {
    const { text, settings } = describeOpened(opened);
    this.notify({ kind: 'info', title: `${title} is loaded`, text });
    return settings;
  }

  /** Another run, or none, is about to take the place of the current one. It is called while something is opened. */
  leave(): void {
    this.#machine.apply({ type: 'hold', run: null });
    for (const listener of this.#machine.listeners) listener.discarded?.();
  }

  async #instead(reading: Promise<Opened>): Promise<Opened> {
    const opened = await reading;
    this.leave();
    return opened;
  }

  /**
   * Does one piece of work, which resolves to the phase that it leaves; where somebody broke it off, that is the phase before. Its failure
   * becomes a notice and the phase `failed`.
   */
  async #exclusively(failure: string, work: () => Promise<RunPhase>): Promise<void> {
    this.#machine.apply({ type: 'begin' });
    this.#driver.begin();
    const before = this.snapshot().phase;
    const { signal } = this.#machine;
    const ended = async (): Promise<void> => {
      const phase = await work().catch((error: unknown) => {
        if (!signal.aborted || error !== signal.reason) throw error;
        return before;
      });
      await checkBackend();
      this.#machine.apply({ type: 'rest', run: this.run });
      this.update({ phase, progress: null });
    };
    this.#done = ended().catch((error: unknown) => this.#fail(failure, error));
    await this.#done;
    await this.#serve();
    if (this.#machine.state.name !== 'Lost') await this.#rest();
  }

  async #fail(title: string, error: unknown): Promise<void> {
    const cause = await causeOf(error);
    const { run, text } = await this.#afterFailure(cause).catch((another: unknown) => ({
      run: this.run,
      text: `${messageOf(cause)}\n${messageOf(another)}`,
    }));
    if (this.isBusy) this.#machine.apply({ type: spoilsDevice(cause) ? 'lose' : 'rest', run });
    this.update({ phase: 'failed', progress: null });
    this.notify({ kind: 'error', title, text, ...(isLoss(cause) && { offer: 'cpu' }) });
  }

  /** The place where a failure leaves the run, and what is said of it. */
  async #afterFailure(cause: unknown): Promise<{ readonly run: Run | null; readonly text: string }> {
    const { run } = this;
    const session = run instanceof Session ? run : null;
    let back: Stand | null = null;
    if (session !== null && !session.intact) {
      let newest: Checkpoint | null = null;
      for (const listener of this.#machine.listeners) newest ??= (await listener.lost?.()) ?? null;
      back = await standBefore(session, this.start.loaded(), newest);
    }
    if (back) this.start.show(back.saved);
    return { run: back ?? run, text: failureText(cause, session?.step ?? null, back) };
  }

  /** A session beside the page's run, from the model that its settings name. Whoever opens it works with it in turns (`beside`) and disposes of it. */
  openBeside(config: RunConfig, signal: AbortSignal): Promise<Session> {
    return this.device.openBeside(config, signal);
  }

  /** Does work on the device, the run's weights and its log while nothing changes them: at once, or between two steps of a run under way. */
  beside<T>(work: () => Promise<T>): Promise<T> {
    if (!this.isBusy) return this.#whileReading(work);
    return new Promise((resolve, reject) => {
      this.#turns.push(() => work().then(resolve, reject));
    });
  }

  /** Whatever is asked for waits until `work` is done, which nothing may change the weights under. */
  #whileReading<T>(work: () => Promise<T>): Promise<T> {
    const done = work();
    this.#ready = Promise.allSettled([this.#ready, done]).then(() => {});
    return done;
  }

  /** Weights and log are of one step. At rest the signal is an ended one: nothing that may hang begins then. */
  async #serve(signal = AbortSignal.abort()): Promise<void> {
    for (let turn = this.#turns.shift(); turn; turn = this.#turns.shift()) await turn();
    for (const listener of this.#machine.listeners) await listener.betweenSteps?.(signal);
    await breathe();
  }

  #rest(): Promise<void> {
    return this.#whileReading(async () => {
      for (const listener of this.#machine.listeners) await listener.atRest?.();
    });
  }

  /** Settings that name a model or rows which are not here get a notice, and the current run stays as it is. */
  #canBegin(config: RunConfig, purpose: 'train' | 'evaluate' = 'train'): boolean {
    const problem = this.start.obstacle(config, purpose);
    if (problem !== null) this.notify({ kind: 'error', ...problem });
    return problem === null;
  }
}
