/** One training run on the device: policy, reference, optimizer, generators, loop, and its log so far. */
import {
  breathe,
  type Renderer,
  type LoadedModel,
  type GeneratorModel,
  type EngineStart,
  type EngineEnvironment,
  type KeptWeights,
  withWeights,
} from '@rl-playground/engine/parts';
import {
  type Engine,
  type LanguageModel,
  backendLost,
  checkBackend,
  adoptGemmPlans,
  currentGemmPlans,
  undoneOnFailure,
  WeightsAstray,
  EngineHost,
  startingFactors,
  startingWeights,
} from '@rl-playground/engine/parts/tensors';
import { localMoment } from '@rl-playground/base/clock';
import { untilAborted } from '@rl-playground/base/untilAborted';
import type { RunConfig } from '../settings/schema/schema.ts';
import { TrainingLoop, type LoopParts } from '../loop/loop.ts';
import type { EvalResult, EvalSample } from '../loop/evaluate.ts';
import type { Rollout } from '../rollouts/rollout.ts';
import type { StepMetrics } from '../metrics/index.ts';
import type { SftFile } from '../sft/sftRows.ts';
import type { StepOptions } from '../loop/learn.ts';
import { sftStep } from '../sft/sftStep.ts';
import { taskMix } from '../loop/taskMix.ts';
import { prepareRewardModel } from '../rewardModel/rewardModel.ts';
import { customTasksOf, taskRowsOf } from '../data/taskRows.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import type { SessionStart } from './sessionStart.ts';
import type { ChatSubject } from '../chat/chat.ts';
import { RunLog } from '../records/runLog.ts';
import { readsClock, rendererOf, roomOf } from '../loop/prompts.ts';
import type { PreflightSize } from '../loop/preflight.ts';
import { preflightReport, type PreflightReport } from './preflight.ts';
import type { CustomTask } from '@rl-playground/tasks/parts';
import { examplesOf } from '../sft/demonstrations.ts';
import { openSftData, type SftData } from '../sft/sftData.ts';

/** The means that a session begins with. */
interface Beginning {
  /** The length of the longest sequence that the device will meet, padded. */
  readonly positions: number;
  readonly promptTokens: number;
  /** The time that the run's prompts take for now. */
  readonly moment: number;
  readonly weights: EngineStart['weights'];
  /** The factors of a new adapter. */
  readonly factors: Float32Array | null;
}

export class Session {
  readonly #model: LoadedModel;
  readonly #renderer: Renderer;
  /** The time when the run began, if its prompts say what time it is. */
  readonly promptMoment: number | undefined;
  readonly #promptTokens: number;
  readonly #environment: EngineEnvironment;
  readonly #host: EngineHost;
  #loop: TrainingLoop;
  #config: RunConfig;
  /** Completions of the steps made in this session and in those that it goes on from, and checkpoints kept on the way. */
  readonly log: RunLog;
  metrics: readonly StepMetrics[];
  evaluations: readonly EvalResult[];
  /** The loss of each update of the warm-up so far. */
  sftLosses: readonly number[];
  /** The tokens of each. The list is shorter for runs that began before they were counted. */
  sftTokens: readonly number[];
  /** Null once the warm-up is over. */
  readonly #warmStartData: SftData | null;
  readonly #sftFile: SftFile | null;
  wallSeconds: number;
  /** The step after which its settings hold: those before a fork were made under others. */
  readonly settingsSince: number;
  /** The user's own tasks, as the run asks and scores them. */
  readonly customTasks: readonly CustomTask[];
  /** True if the generators hold the policy's weights. */
  #synced = false;
  /** True if something broke between two changes that belong together, so that the weights belong to no step. */
  #astray = false;

  private constructor(
    config: RunConfig,
    start: SessionStart,
    { positions, promptTokens, moment, weights, factors }: Beginning,
    environment: EngineEnvironment,
    renderer: Renderer,
    warmStartData: SftData | null,
    log: RunLog,
  ) {
    const { model, trainerState } = start;
    this.log = log;
    this.#config = config;
    this.#model = model;
    this.#renderer = renderer;
    this.#promptTokens = promptTokens;
    this.promptMoment = readsClock(renderer, model) ? moment : undefined;
    this.#environment = environment;
    const generatorModel: GeneratorModel = {
      config: model.config,
      stopTokenIds: model.stopTokenIds,
      drawableIds: model.tokenizer.vocabSize,
      positions,
      ...((renderer.stopStrings.length > 0 || environment.showsText === true) && {
        tokenBytes: model.tokenizer.tokenBytes(),
      }),
    };
    this.#host = new EngineHost(
      config,
      model,
      generatorModel,
      {
        weights,
        adapter: start.adapter?.arrays ?? factors,
        reference: start.reference,
        optimizer: start.optimizer,
        ...(config.baseline === 'value' && {
          valueHead: { weights: start.valueHead ?? null, rate: config.valueRate },
        }),
        version: trainerState?.policyVersion ?? 0,
      },
      environment,
    );
    if (trainerState?.gemmPlans) adoptGemmPlans(trainerState.gemmPlans);
    this.#loop = new TrainingLoop(
      this.#loopParts(),
      trainerState && {
        ...trainerState,
        baseline: trainerState.baseline ?? config.movingBaselineStart,
      },
    );
    this.metrics = start.metrics;
    this.evaluations = start.evaluations;
    this.sftLosses = trainerState?.sftLosses ?? [];
    this.sftTokens = trainerState?.sftTokens ?? [];
    this.#warmStartData = warmStartData;
    this.#sftFile = start.sftFile ?? null;
    this.wallSeconds = trainerState?.wallSeconds ?? 0;
    this.settingsSince = trainerState?.settingsSince ?? 0;
    this.customTasks = customTasksOf(config);
  }

  /** Opens a run at its start (`model` alone) or where a checkpoint left it. Resolves when the generators hold the weights. */
  static async open(
    config: RunConfig,
    start: SessionStart,
    environment: EngineEnvironment,
    log = new RunLog(),
  ): Promise<Session> {
    const moment = start.trainerState?.promptMoment ?? localMoment();
    const renderer = rendererOf(config, start.model, moment);
    const warmed = start.trainerState?.sftLosses.length ?? 0;
    const data =
      warmed < config.warmStartSteps
        ? await openSftData(config, start.model, renderer, start.sftFile ?? null)
        : null;
    await untilAborted(prepareRewardModel(config), environment.signal);
    // This comes before gigabytes are read for a run that can't be.
    const room = await roomOf(config, start.model, renderer, data?.positions ?? 0);
    const factors = start.adapter ? null : await startingFactors(config, start.model);
    const weights =
      start.adapter?.base ??
      (await startingWeights(config, start.model, breathe, () => examplesOf(config, start.model, renderer)));
    const beginning = { ...room, moment, weights, factors };
    const session = new Session(config, start, beginning, environment, renderer, data, log);
    try {
      // What an adapter from elsewhere has made of the base is where this run starts.
      const given = start.adapter !== null && start.trainerState === null;
      if (given && config.klReference !== 'base') await session.engine.renewReference();
      if (!session.inSft) await untilAborted(session.#sync(), environment.signal);
      return session;
    } catch (error) {
      session.dispose();
      throw error;
    }
  }

  async #sync(): Promise<void> {
    await this.#host.publish();
    this.#synced = true;
  }

  /** Gives the generators the policy's weights, where they have others: older ones, or newer ones that it went back from. */
  async #catchUp(): Promise<void> {
    if (this.engine.generatorsAhead) this.engine.nextVersion();
    else if (this.#synced) return;
    await this.#sync();
  }

  #loopParts(): LoopParts {
    return {
      config: this.#config,
      tasks: taskMix(this.#config),
      renderer: this.#renderer,
      promptStyle: this.#model.promptStyle,
      engine: this.#host.engine,
      now: this.#environment.now,
    };
  }

  /** True if the weights can be read, and are those of the last step that is counted. */
  get intact(): boolean {
    return !this.#astray && !backendLost();
  }

  /** The engine of the run, for a person's own experiments between its steps. */
  get engine(): Engine {
    return this.#host.engine;
  }

  get config(): RunConfig {
    return this.#config;
  }

  /** True if an adapter is trained beside a base that its checkpoints leave out. */
  get baseApart(): boolean {
    return this.#host.frozen;
  }

  get step(): number {
    return this.#loop.state.step;
  }

  /** The place of the current weights in the run: their step, or minus the updates of the warm-up that are still to come. */
  get #position(): number {
    return this.step + this.sftLosses.length - this.#config.warmStartSteps;
  }

  /** The evaluation of the current weights. */
  get evaluation(): EvalResult | undefined {
    return this.evaluations.find(({ step }) => step === this.#position);
  }

  /** Takes over settings that may change while the run goes on (`sameRun`). */
  async adopt(config: RunConfig): Promise<void> {
    const newPool = config.numGenerators !== this.#config.numGenerators;
    const { state } = this.#loop;
    await this.#loop.stop();
    this.#config = config;
    if (newPool) this.#host.replacePool(config);
    this.#loop = new TrainingLoop(this.#loopParts(), state);
    if (newPool && this.#synced) await this.#sync();
  }

  /** True if updates of the warm-up are still to be made before the first step. */
  get inSft(): boolean {
    return this.sftLosses.length < this.#config.warmStartSteps;
  }

  /** A notice of the rows that the warm-up can't learn from whole; null where there are none. */
  get sftNote(): SftData['note'] {
    return this.#warmStartData?.note ?? null;
  }

  /**
   * Makes one update of the warm-up; resolves to its number of tokens. The last update ends the warm-up: reinforcement begins from
   * the model that came of it, KL is measured against that model, and the optimizer begins anew.
   */
  async sftStep(): Promise<number> {
    if (this.#warmStartData === null)
      throw new Error(`All ${this.#config.warmStartSteps} updates of the warm-up are done.`);
    const { engine } = this.#host;
    const { sequenceAt } = this.#warmStartData;
    const step = this.sftLosses.length + 1;
    const { loss, tokens } = await this.#whole(() =>
      undoneOnFailure(engine, () => sftStep(step, { config: this.#config, sequenceAt, engine })),
    );
    this.sftLosses = [...this.sftLosses, loss];
    this.sftTokens = [...this.sftTokens, tokens];
    this.#synced = false;
    engine.nextVersion();
    if (!this.inSft) await this.#endSft();
    return tokens;
  }

  async #endSft(): Promise<void> {
    try {
      if (this.#config.klReference !== 'base') await this.engine.renewReference();
      this.#host.resetOptimizer();
      await this.#sync();
    } catch (error) {
      this.#astray = true;
      throw error;
    }
  }

  /** Does work that changes the weights, and notes where it leaves them half changed. */
  async #whole<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof WeightsAstray) this.#astray = true;
      throw error;
    }
  }

  /** Makes one update. Rejects with the signal's reason when aborted while sampling. However it fails, the run is as it was before, or not `intact`. */
  async trainStep(options: StepOptions): Promise<readonly Rollout[]> {
    await untilAborted(this.#catchUp(), options.signal);
    const { metrics, rollouts } = await this.#whole(() => this.#loop.step(options));
    this.metrics = [...this.metrics, metrics];
    this.log.addStep(metrics.step, rollouts);
    return rollouts;
  }

  /** Samples a few answers by the weights as they are. It is called before the first step. */
  async preflight(options: StepOptions, size?: PreflightSize): Promise<PreflightReport> {
    await untilAborted(this.#catchUp(), options.signal);
    const sample = await this.#loop.preflight(options, size);
    return preflightReport(sample, this.#config, this.#model, {
      promptTokens: this.#promptTokens,
      beforeWarmUp: this.inSft,
    });
  }

  /** Evaluates the weights, in place of an evaluation of the same step. Inside the warm-up, steps count up to 0. */
  async evaluate(options: StepOptions): Promise<void> {
    const { signal, patience } = options;
    await untilAborted(this.#catchUp(), patience === undefined ? signal : AbortSignal.timeout(patience));
    const result = { ...(await this.#loop.evaluate(options)), step: this.#position };
    this.evaluations = [...this.evaluations.filter(({ step }) => step !== result.step), result];
  }

  /** The greedy answer of the current weights to one problem of the evaluation; null where there is none at that place. It is called between steps. */
  async greedyAnswer(place: number, signal: AbortSignal): Promise<EvalSample | null> {
    await untilAborted(this.#catchUp(), signal);
    return this.#loop.greedyAnswer(place, signal);
  }

  /** Does `work` on the weights of a version (`EngineHost.withVersion`). It is called between steps. */
  async withVersion<T>(
    version: number,
    stored: KeptWeights,
    work: (model: LanguageModel, own: boolean) => Promise<T>,
  ): Promise<T> {
    return this.engine.inTurn('withVersion', () => this.#host.withVersion(version, stored, work));
  }

  /** Lets a person speak with the run's model. `untrained` is it before training, where the reference is another by now. It is called between steps. */
  async converse<T>(untrained: LoadedModel | null, work: (whom: ChatSubject) => Promise<T>): Promise<T> {
    const [host, model, renderer, config] = [this.#host, this.#model, this.#renderer, this.#config];
    const whom = { host, model, renderer, config, untrained, step: this.step };
    return this.engine.inTurn('converse', () => work(whom));
  }

  /**
   * All that a checkpoint needs, without the weights of a frozen base. It is called between steps. Throws where the weights can't be
   * trusted.
   */
  async parts(): Promise<CheckpointParts> {
    if (!this.intact)
      throw new Error('The weights were lost with the GPU, or a failed step left them half changed.');
    const { engine } = this.#host;
    const valueHead = await this.#host.valueHead();
    const parts: CheckpointParts = {
      model: this.#host.frozen ? this.#model : withWeights(this.#model, await this.#host.weights()),
      optimizer: await engine.optimizer.state(),
      adapter: await this.#host.adapter(),
      reference: this.#host.referenceArrays,
      ...(valueHead && { valueHead }),
      runConfig: this.#config,
      trainerState: {
        ...this.#loop.state,
        policyVersion: engine.version,
        sftLosses: this.sftLosses,
        sftTokens: this.sftTokens,
        seed: this.#config.seed,
        wallSeconds: this.wallSeconds,
        settingsSince: this.settingsSince,
        promptMoment: this.promptMoment,
        gemmPlans: currentGemmPlans(),
      },
      customTasks: this.customTasks,
      ...taskRowsOf(this.#config),
      ...(this.#sftFile && { sftFile: this.#sftFile }),
      metrics: this.metrics,
      evaluations: this.evaluations,
    };
    await checkBackend();
    return parts;
  }

  dispose(): void {
    void this.#loop.stop();
    this.#host.dispose();
  }
}
