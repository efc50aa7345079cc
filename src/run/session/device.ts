/** The device under the page's run: it comes up, gives way to another, and takes sessions of the run. */
import { closeGpu } from '@rl-playground/engine/parts/tensors';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { doubtOfGenerators, pageEnvironment, startDevice } from '../environment/pageEnvironment.ts';
import { budgetsOnPage, checkBuffers, memoryWarning } from '../plan/pagePlan.ts';
import type { RunLog } from '../records/runLog.ts';
import { rewardModelProblem } from '../rewardModel/rewardModel.ts';
import { sftRows } from '../sft/sftData.ts';
import { logOf } from './driver.ts';
import { address } from '../models/besidePage.ts';
import { loadNamedModel, modelProblem } from '../models/namedModels.ts';
import { modelNotes } from './modelNotes.ts';
import { newRunProblem, runStart } from './opening.ts';
import { standAt, type RunMachine } from './runState.ts';
import { sameRun } from '../settings/differences.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';
import type { ShownRun } from './snapshot.ts';
import { REWRITTEN, type StartingPoint } from './startingPoint.ts';
import type { ControllerOptions, RunSurroundings } from './types.ts';

export class RunDevice {
  readonly #options: ControllerOptions;
  readonly #machine: RunMachine;
  readonly #shown: ShownRun;
  readonly #start: StartingPoint;
  /** The surroundings that the run has from its next session on. */
  surroundings: RunSurroundings | null = null;

  constructor(options: ControllerOptions, machine: RunMachine, shown: ShownRun, start: StartingPoint) {
    this.#options = options;
    this.#machine = machine;
    this.#shown = shown;
    this.#start = start;
  }

  async start(backend: 'webgpu' | 'wasm' | null): Promise<void> {
    this.#shown.update({ backend: await startDevice(backend, this.#options, this.#shown.loading) });
    this.#machine.apply({ type: 'renew' });
  }

  /** Opens another device after a failed call to the GPU, if the run is to go on. */
  async renew(): Promise<void> {
    const { state } = this.#machine;
    if (state.name !== 'Opening' || !state.deviceGone) return;
    await this.leave();
    closeGpu();
    await this.start(this.#shown.snapshot().backend?.backend ?? this.#options.backend);
  }

  /** Takes a run off the device, so that another session goes on from the same place. */
  async leave(): Promise<void> {
    const { run } = this.#machine;
    if (run instanceof Session)
      this.#machine.apply({ type: 'hold', run: standAt(await run.parts(), run.log) });
  }

  /** A session of the current run if that can go on with `wanted`, or else of what is loaded: a checkpoint's run, or a new one. */
  async sessionFor(wanted: RunConfig, purpose: 'train' | 'evaluate'): Promise<Session> {
    const before = this.#start.parts;
    const loaded = await this.#start.loadModelOf(wanted);
    if (loaded !== before) this.#machine.apply({ type: 'hold', run: null });
    const config = { ...wanted, model: loaded.model.name };
    const goesOn = (step: number, begun: RunConfig | null): boolean =>
      (purpose === 'evaluate' || step < config.numSteps) && begun !== null && sameRun(begun, config);
    const { run } = this.#machine;
    const session = run instanceof Session && goesOn(run.step, run.config) ? run : null;
    const { runConfig, trainerState } = run !== null && 'saved' in run ? run.saved : loaded;
    const isBegun = session !== null || goesOn(trainerState?.step ?? 0, runConfig);
    const rewritten = isBegun && this.#start.isRewritten(config);
    if (rewritten)
      this.#shown.notify({
        kind: 'info',
        title: 'The changed task starts a new run',
        text: `${REWRITTEN}. The earlier run is kept unchanged.`,
      });
    if (session !== null && !rewritten) {
      if (this.surroundings?.changed !== true) {
        await session.adopt(config);
        this.#machine.apply({ type: 'work', run: session });
        this.#shown.update({ config, totalSteps: config.numSteps });
        return session;
      }
      await this.leave();
    }
    const here = this.#machine.run;
    const stand = here !== null && 'saved' in here ? here : null;
    const parts = stand?.saved ?? loaded;
    const resumes = !rewritten && goesOn(parts.trainerState?.step ?? 0, parts.runConfig);
    // A run that goes on is held until its session is there: what fails meanwhile costs nothing of it.
    if (!resumes || stand === null) this.#machine.apply({ type: 'hold', run: null });
    return this.#open(config, purpose, resumes ? parts : null, stand?.log);
  }

  /** A session that the page's run knows nothing of. @throws Error where the page lacks what the settings name. */
  async openBeside(config: RunConfig, signal: AbortSignal): Promise<Session> {
    const { backend } = this.#shown.snapshot();
    if (backend === null) throw new Error('The engine is not ready. Wait for it, then try again.');
    const { sftFiles } = this.#options;
    const problem =
      modelProblem(config) ?? rewardModelProblem(config) ?? newRunProblem(null, config, sftFiles);
    if (problem !== null) throw new Error(`${problem.title}. ${problem.text}`);
    const model = await loadNamedModel(config, address, () => undefined);
    const budgets = budgetsOnPage({ model, backend, metrics: [], runConfig: null }, config);
    const environment = await pageEnvironment(backend.backend, config.generatorPlacement, {
      ...this.#options,
      signal,
      budgets,
    });
    const start = { ...freshStart(model), ...sftRows(config, sftFiles) };
    return Session.open({ ...config, model: model.name }, start, environment);
  }

  /** A session that goes on from `parts`, or of a new run. */
  async #open(
    config: RunConfig,
    purpose: 'train' | 'evaluate',
    parts: CheckpointParts | null,
    log?: RunLog,
  ): Promise<Session> {
    const rows = sftRows(config, this.#options.sftFiles);
    const start = parts ?? { ...runStart(await this.#start.beginningOf(config)), ...rows };
    const page = this.#start.page();
    const plan = purpose === 'train' && page ? checkBuffers(page, config) : null;
    // A run that is only expected not to fit is tried.
    const warning = plan && memoryWarning(plan);
    if (warning) this.#shown.notify({ kind: 'warning', ...warning });
    const first = start.sftFile ? `Reading ${start.sftFile.name} and starting` : 'Starting';
    this.#shown.loading(`${first} the generators`);
    const own = await pageEnvironment(page?.backend.backend ?? 'wasm', config.generatorPlacement, {
      ...this.#options,
      signal: this.#machine.signal,
      budgets: page && budgetsOnPage(page, config),
    });
    const doubt = await doubtOfGenerators(config);
    if (doubt !== null)
      this.#shown.notify({ kind: 'warning', title: 'Generators compute exact products', text: doubt });
    const line = page?.backend.line ?? '';
    const environment = (await this.surroundings?.around(own, config, line)) ?? own;
    const resumes = parts !== null;
    if (!resumes) for (const note of modelNotes(config, start.model)) this.#shown.notify(note);
    const session = await Session.open(config, start, environment, resumes ? log : undefined);
    this.#machine.apply({ type: 'work', run: session });
    for (const listener of this.#machine.listeners)
      await listener.opened?.(session, resumes, this.#machine.signal);
    if (warning) session.log.overriddenPlan = { step: session.step, plan };
    this.#shown.update({
      config,
      totalSteps: config.numSteps,
      rollouts: [],
      preflight: null,
      ...logOf(session),
    });
    if (session.sftNote) this.#shown.notify({ kind: 'info', ...session.sftNote });
    return session;
  }
}
