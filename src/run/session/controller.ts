/** The run that a page drives: loads the model, then trains, pauses, steps, stops, saves and loads as asked. */
import { onDeviceProblem, breathe } from '@rl-playground/engine/parts';
import { checkBackend, closeGpu } from '@rl-playground/engine/parts/tensors';
import type { RunConfig } from '../settings/schema/schema.ts';
import { BetweenSteps } from './betweenSteps.ts';
import { openingModel } from '../models/bundledModels.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { logOf, RunDriver } from './driver.ts';
import { startDevice } from '../environment/startDevice.ts';
import { likeliestAt } from './likeliest.ts';
import { modelNotes } from './modelNotes.ts';
import { RunOpener } from './opener.ts';
import { openedRun, runStart } from './opening.ts';
import { KeptRuns } from '../kept/keptRuns.ts';
import { headOf, recordOf } from '../kept/commitHead.ts';
import {
  againAfterLoss,
  causeOf,
  failureText,
  isLoss,
  spoilsDevice,
  standBefore,
  type Stand,
} from './recovery.ts';
import { RunSaver } from './saving.ts';
import { sameRun } from './sameRun.ts';
import { Session } from './session.ts';
import { StartingPoint } from './startingPoint.ts';
import { restingPhase, RunState } from './state.ts';
import type { ControllerOptions, RunController, RunSnapshot, RunSurroundings } from './types.ts';
import { sftRows } from '../sft/sftData.ts';

/** Starts the engine; returns at once in phase `loading` while the backend and the model come up. */
export function createRunController(options: ControllerOptions): Promise<RunController> {
  const controller = new PageRunController(options);
  controller.start(options.backend);
  return Promise.resolve(controller);
}

class PageRunController implements RunController {
  readonly #options: ControllerOptions;
  readonly #state = new RunState();
  readonly #driver: RunDriver;
  #session: Session | null = null;
  readonly #start = new StartingPoint(this.#state);
  #working: Promise<void> | null = null;
  /** The engine's start, and what reads its weights; whatever is asked for in the meantime waits for it. */
  #started: Promise<void> = Promise.resolve();
  readonly #betweenSteps = new BetweenSteps();
  readonly #saver = new RunSaver({
    betweenSteps: (work) => this.#unchanged(work),
    parts: () => this.#currentParts(),
    log: () => this.runLog(),
    base: () => this.#start.loaded().model,
    at: () => this.#state.snapshot,
  });
  readonly kept: KeptRuns;
  readonly #opener: RunOpener;
  #surroundings: RunSurroundings | null = null;
  /** Where a run stands that has no session: its device is gone, or it was opened and did not go on yet. */
  #stand: Stand | null = null;
  /** A call to the GPU has failed: before anything else is done there, another device takes its place. */
  #spoiled = false;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#driver = new RunDriver(this.#state, options);
    this.#opener = new RunOpener({
      options,
      start: this.#start,
      state: this.#state,
      driver: this.#driver,
      ready: async () => {
        await this.#started;
        if (this.#working !== null)
          throw new Error('A run is going on. Pause or stop it first, then load the checkpoint.');
      },
      leave: () => this.kept.leave(),
      standsAt: (stand) => {
        this.#stand = stand;
        void this.#whileIdle(() => this.kept.keep());
      },
    });
    this.kept = new KeptRuns({
      keeps: options.keepRuns,
      head: () =>
        headOf(this.#session ?? (this.#stand && recordOf(this.#stand.parts)), this.#state.snapshot.modelName),
      parts: () => this.#currentParts(),
      log: () => this.runLog(),
      pastWeights: () => this.#session?.engine.past ?? null,
      evaluatedSteps: () => this.#session?.evaluations.map(({ step }) => step) ?? [],
      notify: (notice) => this.#state.notify(notice),
      idle: () => this.#working === null,
      opened: (files) => openedRun(files, options, this.#start.parts?.model),
      discard: () => this.#discardSession(),
      open: (read) => this.#opener.open(read),
      openAndSay: (title, read) => this.#opener.openAndSay(title, read),
      named: (run) => this.#state.update({ run }),
    });
  }

  readonly snapshot = (): RunSnapshot => this.#state.snapshot;
  readonly subscribe: RunController['subscribe'] = (listener) => this.#state.subscribe(listener);
  readonly notify: RunController['notify'] = (notice) => this.#state.notify(notice);
  readonly dismiss: RunController['dismiss'] = (noticeId) => this.#state.dismiss(noticeId);

  start(backend: 'webgpu' | 'wasm' | null): void {
    // Work under way asks for itself, before it counts as done.
    onDeviceProblem(() => {
      if (this.#working === null && !this.#spoiled)
        void this.#exclusively('The GPU had a problem', () => Promise.resolve());
    });
    this.#started = this.#exclusively('The engine could not start', async () => {
      await this.#start.loadBundled(openingModel(this.#options.model), this.#startBackend(backend));
      this.#state.update({ phase: 'idle', progress: null });
    });
  }

  train(config: RunConfig): Promise<void> {
    return this.#begin(config, 'Training stopped with an error', (session) =>
      this.#driver.run(session, config, Number.POSITIVE_INFINITY, () => this.#serve()),
    );
  }

  fineTune(config: RunConfig): Promise<void> {
    return this.#begin(config, 'The supervised warm-up stopped with an error', (session) =>
      this.#driver.fineTune(session, () => this.#serve()),
    );
  }

  step(config: RunConfig): Promise<void> {
    return this.#begin(config, 'The step failed', (session) =>
      this.#driver.run(session, config, 1, () => this.#serve()),
    );
  }

  async evaluate(config: RunConfig): Promise<void> {
    await this.#look(config, 'The evaluation failed', (session) => this.#driver.evaluate(session));
  }

  async preflight(config: RunConfig): Promise<void> {
    await this.#look(config, 'The pre-flight failed', (session) => this.#driver.preflight(session));
  }

  readonly compare: RunController['compare'] = (config, question, onText) =>
    this.#look(config, 'The question was not answered', (session) =>
      this.#driver.compare(session, { question, onText }, this.#start.untrained),
    );

  /** What work on the run of these settings finds that changes no weights; null where it failed. */
  async #look<T>(
    config: RunConfig,
    failure: string,
    work: (session: Session) => Promise<T>,
  ): Promise<T | null> {
    await this.#started;
    if (!this.#canBegin(config)) return null;
    const found: T[] = [];
    await this.#exclusively(failure, async () => {
      await this.#renewDevice();
      const before = this.#state.snapshot.phase;
      found.push(await work(await this.#sessionFor(config, 'evaluate')));
      this.#driver.rest(before === 'loading' || before === 'failed' ? 'paused' : before);
    });
    return found[0] ?? null;
  }

  readonly likeliest: RunController['likeliest'] = async (asked, config) => {
    const [session, look] = [this.#session, (at: Session) => likeliestAt(at, asked, this.kept.weightsOf)];
    if (session !== null) return this.#unchanged(() => look(session));
    return config ? this.#look(config, 'The model could not be asked', look) : null;
  };

  pause(): void {
    if (this.#working !== null) this.#driver.pause();
  }

  stop(): void {
    if (this.#working !== null) {
      this.#driver.stop();
      return;
    }
    const session = this.#session;
    if (session === null) return;
    void this.#exclusively('The evaluation failed', () => this.#driver.close(session, 'stopped'));
  }

  async reset(): Promise<void> {
    this.#driver.abandon();
    await this.#working;
    const { parts, isOurs, bundledName } = this.#start;
    await this.#exclusively(`The model ${bundledName} could not be loaded again`, async () => {
      this.kept.leave();
      await this.#renewDevice();
      // A model that the user brought stays: its weights are read anew by the next run.
      if (!isOurs && parts?.runConfig === null) this.#start.adopt(parts);
      else await this.#start.loadBundled(bundledName);
      this.#driver.forgetAlarm();
      this.#state.update({ phase: 'idle', progress: null });
    });
  }

  readonly checkpoint: RunController['checkpoint'] = (options) => this.#saver.checkpoint(options);
  readonly runDirectory: RunController['runDirectory'] = (words = null) => this.#saver.runDirectory(words);
  readonly atRest: RunController['atRest'] = () => this.#saver.atRest();
  readonly plan: RunController['plan'] = (config) => this.#start.plan(config);
  readonly takeCheckpoint: RunController['takeCheckpoint'] = (step, options) =>
    this.#saver.takeCheckpoint(step, options);

  readonly runLog: RunController['runLog'] = () => (this.#session ?? this.#stand)?.log ?? null;

  readonly load: RunController['load'] = (chosen) => this.#opener.load(chosen);
  readonly takeModel: RunController['takeModel'] = (files, adapter = null) =>
    this.#opener.takeModel(files, adapter);
  readonly takeRun: RunController['takeRun'] = (files) => this.#opener.takeRun(files);

  async switchBackend(backend: 'webgpu' | 'wasm'): Promise<void> {
    await this.#started;
    await this.#exclusively('The device could not be switched', async () => {
      const { phase } = this.#state.snapshot;
      const parts = await this.#currentParts();
      this.#session?.dispose();
      this.#session = null;
      this.#start.replace(parts);
      await this.#startBackend(backend);
      this.#state.update({ phase: phase === 'failed' ? restingPhase(parts) : phase, progress: null });
    });
  }

  async #begin(config: RunConfig, failure: string, work: (session: Session) => Promise<void>): Promise<void> {
    await this.#started;
    if (!this.#canBegin(config)) return;
    return this.#exclusively(failure, async () => {
      const attempt = async (): Promise<void> => {
        await this.#renewDevice();
        await work(await this.#sessionFor(config, 'train'));
      };
      await againAfterLoss(attempt, (cause) => this.#goBack(cause), this.#state);
    });
  }

  /** One piece of work at a time; its failure becomes a notice and the phase `failed`. */
  async #exclusively(failure: string, work: () => Promise<void>): Promise<void> {
    if (this.#working !== null)
      throw new Error('The engine is busy. Wait for it, or pause or stop the run first.');
    this.#driver.begin();
    this.#working = this.#driver
      .unlessEnded(work)
      .then(checkBackend)
      .catch((error: unknown) => this.#fail(failure, error))
      .finally(() => {
        this.#working = null;
      });
    await this.#working;
    await this.#serve();
    if (!this.#spoiled) await this.#whileIdle(() => this.kept.keep());
  }

  async #fail(title: string, error: unknown): Promise<void> {
    const cause = await causeOf(error);
    const text = await this.#goBack(cause);
    this.#state.update({ phase: 'failed', progress: null });
    const offer = isLoss(cause) ? ({ offer: 'cpu' } as const) : {};
    this.#state.notify({ kind: 'error', title, text, ...offer });
  }

  /** Where the weights are gone, the run is where it was kept last. Resolves to what is said of it. */
  async #goBack(cause: unknown): Promise<string> {
    this.#spoiled ||= spoilsDevice(cause);
    const session = this.#session;
    const gone = session !== null && !session.intact;
    const back = gone ? await standBefore(session, this.#start.loaded(), await this.kept.newest()) : null;
    if (back) {
      this.#discardSession();
      this.#stand = back;
      this.#start.show(back.parts);
    }
    return failureText(cause, session?.step ?? null, back);
  }

  /** Work that nothing may change the weights under, though it changes none itself. */
  async #whileIdle<T>(work: () => Promise<T>): Promise<T> {
    const done = work();
    this.#started = Promise.allSettled([this.#started, done]).then(() => {});
    return done;
  }

  /** The same, while a run goes on too: then between two of its steps. */
  #unchanged<T>(work: () => Promise<T>): Promise<T> {
    return this.#working === null ? this.#whileIdle(work) : this.#betweenSteps.wait(work);
  }

  /** After a failed call to the GPU: another device, and the run, if there is one, is to go on there from where it stands. */
  async #renewDevice(): Promise<void> {
    if (!this.#spoiled) return;
    if (this.#session) await this.#standAside(this.#session);
    closeGpu();
    await this.#startBackend(this.#state.snapshot.backend?.backend ?? this.#options.backend);
  }

  async #startBackend(backend: 'webgpu' | 'wasm' | null): Promise<void> {
    this.#state.update({ backend: await startDevice(backend, this.#options, this.#state.loading) });
    this.#spoiled = false;
  }

  /** The run is to go on in another session, from where it stands. */
  async #standAside(session: Session): Promise<void> {
    const stand = { parts: await session.parts(), log: session.log };
    this.#discardSession();
    this.#stand = stand;
  }

  #discardSession(): void {
    this.#session?.dispose();
    this.#session = null;
    this.#stand = null;
  }

  readonly problem: RunController['problem'] = (config) =>
    this.#start.problem(config, this.#session?.config, this.#options.sftFiles) ??
    this.#start.unreadable(config);

  /** Settings that name a model or rows which are not here get a notice, and the current run stays as it is. */
  #canBegin(config: RunConfig): boolean {
    const problem = this.#start.problem(config, this.#session?.config, this.#options.sftFiles);
    if (problem !== null) this.#state.notify({ kind: 'error', ...problem });
    return problem === null;
  }

  readonly promptText: RunController['promptText'] = (ids) => this.#start.promptText(ids);
  readonly heldOutPrompt: RunController['heldOutPrompt'] = (asked) =>
    this.#start.heldOutPrompt(asked, this.#session?.promptMoment);

  surround(surroundings: RunSurroundings): void {
    this.#surroundings = surroundings;
  }

  async #currentParts(): Promise<CheckpointParts> {
    return this.#session?.parts() ?? this.#stand?.parts ?? this.#start.loaded();
  }

  /** The current run if it can go on with `wanted`; else a checkpoint's, else a new one from the loaded model. */
  async #sessionFor(wanted: RunConfig, purpose: 'train' | 'evaluate'): Promise<Session> {
    const before = this.#start.parts;
    const loaded = await this.#start.loadModelOf(wanted);
    if (loaded !== before) this.#discardSession();
    const config = { ...wanted, model: loaded.model.name };
    const goesOn = (step: number, before: RunConfig): boolean =>
      (purpose === 'evaluate' || step < config.numSteps) && sameRun(before, config);
    if (this.#session && goesOn(this.#session.step, this.#session.config)) {
      if (this.#surroundings?.changed !== true) {
        await this.#session.adopt(config);
        this.#state.update({ config, totalSteps: config.numSteps });
        return this.#session;
      }
      await this.#standAside(this.#session);
    }
    const { parts, log } = this.#stand ?? { parts: loaded, log: undefined };
    this.#discardSession();
    const resumes = parts.runConfig && goesOn(parts.trainerState?.step ?? 0, parts.runConfig);
    const rows = sftRows(config, this.#options.sftFiles);
    const start = resumes ? parts : { ...runStart(await this.#start.beginningOf(config)), ...rows };
    const overridden = purpose === 'train' ? this.#start.checkMemory(config) : null;
    const first = start.sftFile ? `Reading ${start.sftFile.name} and starting` : 'Starting';
    this.#state.loading(`${first} the generators`);
    const around = { ...this.#options, signal: this.#driver.signal };
    const own = await this.#start.environment(config, around);
    const line = this.#start.page()?.backend.line ?? '';
    const environment = (await this.#surroundings?.around(own, config, line)) ?? own;
    if (!resumes) for (const note of modelNotes(config, start.model)) this.#state.notify(note);
    this.#session = await Session.open(config, start, environment, resumes ? log : undefined);
    await this.kept.begins(this.#session.log, { resumes: Boolean(resumes), logIsWhole: log !== undefined });
    if (overridden) this.#session.log.overriddenPlan = { step: this.#session.step, plan: overridden };
    this.#driver.forgetAlarm();
    this.#state.update({
      config,
      totalSteps: config.numSteps,
      rollouts: [],
      preflight: null,
      ...logOf(this.#session),
    });
    if (this.#session.sftNote) this.#state.notify({ kind: 'info', ...this.#session.sftNote });
    return this.#session;
  }

  async #serve(): Promise<void> {
    await this.#betweenSteps.serve();
    await this.kept.keepWhenDue();
    await breathe();
  }
}
