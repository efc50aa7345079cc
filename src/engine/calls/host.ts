/** Puts an engine on the device (policy, reference, optimizer and generators) and reads their weights back. */
import { breatheIfDue } from '../backend/eventLoop.ts';
import { backendKind } from '../backend/kernelRegistry.ts';
import type { LoadedModel } from '../hub/types.ts';
import { storedInMemory, widened } from '../model/storedWeights.ts';
import { FrozenBase } from '../model/frozenBase.ts';
import { mixedArrays, ModelWeights, type WeightArrays } from '../model/weights.ts';
import { Adapter } from '../model/adapter.ts';
import { ValueHead } from '../model/valueHead.ts';
import { tokensAtOnce } from '../model/activationBudget.ts';
import type { BaseWeights } from '../model/headPass.ts';
import { LanguageModel } from '../model/languageModel.ts';
import { mergedConfig, type LoraSettings } from '../model/lora.ts';
import { mergedTensors } from '../model/mergedTensors.ts';
import type { EngineState } from './state.ts';
import { Engine, type Trained } from './engine.ts';
import { Optimizer, type OptimizerState } from '../update/optimizer.ts';
import type { GeneratorModel } from '../rollout/decoding/decoder.ts';
import type { GeneratorPool, SampledCompletion } from '../rollout/decoding/types.ts';
import { HEAD } from '../model/weightNames.ts';
import type { EngineSettings } from './settings.ts';
import { loraOf } from './start.ts';
import type { Answered } from './divergence.ts';
import type { KeptWeights } from './pastWeights.ts';
import type { PastModels, Speakers } from './speakers.ts';
import type { AskedVoice, VoiceSampling } from './voices.ts';

export type PoolSettings = Pick<
  EngineSettings,
  'numGenerators' | 'generatorPrecision' | 'generatorPlacement'
>;

/** Budgets of memory that may be large or small: the speed depends on them, and no result does. */
export interface MemoryBudgets {
  /** The bytes of the keys and values of one generator. */
  readonly cacheBytes: number;
  /** The bytes that a forward pass may leave for the backward pass; blocks beyond them are run again. */
  readonly activationBytes: number;
}

export interface EngineEnvironment {
  /** Makes the generators of a run. */
  readonly createPool: (model: GeneratorModel, config: PoolSettings) => GeneratorPool;
  /** The current time in milliseconds. */
  readonly now: () => number;
  /** Ends the wait for the generators of a run that is being opened. */
  readonly signal?: AbortSignal;
  /** True if generators show what they are asked, and so need the text of tokens. */
  readonly showsText?: boolean;
  /** The planner's budgets; the usual ones by default. */
  readonly budgets?: MemoryBudgets;
}

export interface ValueHeadStart {
  /** The weights by name; null for zeros, so that the head predicts 0 at first. */
  readonly weights: WeightArrays | null;
  /** The factor on the learning rate of the value head. */
  readonly rate: number;
}

export interface EngineStart {
  /** All weights, or under LoRA those of the base. The engine owns a frozen base from now on. */
  readonly weights: WeightArrays | FrozenBase;
  /** LoRA's factors by PEFT's names, or packed (`startingFactors`); null without LoRA. */
  readonly adapter: WeightArrays | Float32Array | null;
  /** The model that KL is measured against: merged weights, or factors beside a frozen base; null for `weights`. */
  readonly reference: WeightArrays | null;
  readonly optimizer: OptimizerState | null;
  /** A value head on the policy; there is none if it is left out. */
  readonly valueHead?: ValueHeadStart;
  readonly version: number;
  /** The longest prompt plus completion that the engine takes; by default the room of the generator model. */
  readonly positions?: number;
  /** The strings that end a completion if `Engine.sample` is given none. */
  readonly stopStrings?: readonly string[];
}

/** An adapter and the weights beside which it is trained. The weights of the checkpoint's model are the two merged. */
export interface AdapterParts {
  readonly settings: LoraSettings;
  /** The factors by PEFT's names, in its layout. */
  readonly arrays: WeightArrays;
  /** The base; null if it is frozen. A frozen base is the checkpoint's model, which is not merged and whose own files have it. */
  readonly base: WeightArrays | null;
}

export class EngineHost {
  readonly engine: Engine;
  readonly #settings: EngineSettings;
  readonly #model: Pick<LoadedModel, 'config' | 'origin'>;
  readonly #generatorModel: GeneratorModel;
  readonly #environment: EngineEnvironment;
  readonly #valueRate: number;
  /** The weights of the reference; null if that is the base under LoRA. */
  #referenceArrays: WeightArrays | null;

  /** `generatorModel` is the model without LoRA. */
  constructor(
    settings: EngineSettings,
    model: Pick<LoadedModel, 'config' | 'origin'>,
    generatorModel: GeneratorModel,
    start: EngineStart,
    environment: EngineEnvironment,
  ) {
    const lora = loraOf(settings);
    this.#settings = settings;
    this.#model = model;
    const [frozen, arrays] =
      start.weights instanceof FrozenBase ? [start.weights, null] : [null, start.weights];
    this.#generatorModel = {
      ...generatorModel,
      ...(lora && { lora }),
      ...(frozen && { frozen: frozen.formats, merged: settings.generatorAdapter === 'merged' }),
      ...(frozen && model.origin && { origin: model.origin }),
      ...(environment.budgets && { cacheBytes: environment.budgets.cacheBytes }),
      products: settings.generatorProducts,
      cachePrecision: settings.cachePrecision,
      besidePage: settings.generatorPlacement === 'page',
    };
    this.#environment = environment;
    this.#referenceArrays = start.reference ?? (lora === null ? arrays : null);
    const weights = frozen ?? ModelWeights.fromHuggingFace(model.config, arrays);
    this.#valueRate = start.valueHead?.rate ?? 1;
    const head = start.valueHead && this.#valueHead(start.valueHead.weights);
    const policy = this.#policy(weights, this.#adapter(lora, start.adapter), head);
    this.engine = new Engine({
      policy,
      reference: this.#referenceOf(weights),
      optimizer: this.#optimizer(policy, start.optimizer),
      pool: environment.createPool(this.#generatorModel, settings),
      microBatchTokens: tokensAtOnce(model.config, settings.microBatchTokens, backendKind()),
      breathe: breatheIfDue,
      version: start.version,
      positions: start.positions,
      stopStrings: start.stopStrings,
      restore: (state, before) => this.#restored(state, before),
      renewReference: (before, share) => this.#renewedReference(before, share),
    });
  }

  /** True if the base is frozen for good, apart from the trained factors. */
  get frozen(): boolean {
    return this.engine.policy.weights instanceof FrozenBase;
  }

  get #lora(): LoraSettings | null {
    return loraOf(this.#settings);
  }

  #policy(weights: BaseWeights, adapter: Adapter | null, head: ValueHead | null = null): LanguageModel {
    const { activationBytes } = this.#environment.budgets ?? {};
    return new LanguageModel(weights, this.#generatorModel.positions, adapter, activationBytes, head);
  }

  /** Makes a policy from packed weights, or under LoRA from packed factors on the present base. */
  #packedPolicy(packed: Float32Array, head: ValueHead | null = null): LanguageModel {
    const { config } = this.#model;
    const lora = this.#lora;
    return lora === null
      ? this.#policy(new ModelWeights(config, packed), null, head)
      : this.#policy(this.engine.policy.weights, new Adapter(config, lora, packed), head);
  }

  #valueHead(start: WeightArrays | null): ValueHead {
    const { hiddenSize } = this.#model.config;
    return start === null ? new ValueHead(hiddenSize) : ValueHead.fromNamed(hiddenSize, start);
  }

  #adapter(lora: LoraSettings | null, arrays: EngineStart['adapter']): Adapter | null {
    if (lora === null || arrays === null) return null;
    const { config } = this.#model;
    return arrays instanceof Float32Array
      ? new Adapter(config, lora, arrays)
      : Adapter.fromPeft(config, lora, arrays);
  }

  /** Makes the reference. Under LoRA the base is its own reference unless another one is given. */
  #referenceOf(weights: BaseWeights): LanguageModel {
    const arrays = this.#referenceArrays;
    if (weights instanceof FrozenBase) return this.#beside(weights, arrays);
    return arrays === null
      ? new LanguageModel(weights, this.#generatorModel.positions)
      : this.#merged(arrays);
  }

  /** A frozen base with factors that are not trained, or without any for null. */
  #beside(base: FrozenBase, factors: WeightArrays | null): LanguageModel {
    const adapter = factors && this.#adapter(this.#lora, factors);
    return new LanguageModel(base, this.#generatorModel.positions, adapter);
  }

  #merged(arrays: WeightArrays): LanguageModel {
    const { config } = this.#model;
    const merged = this.#lora === null ? config : mergedConfig(config, this.#lora);
    const shape = arrays.has(HEAD) ? merged : config;
    return new LanguageModel(ModelWeights.fromHuggingFace(shape, arrays), this.#generatorModel.positions);
  }

  #optimizer(policy: LanguageModel, state: OptimizerState | null): Optimizer {
    const { adamBeta1, adamBeta2, adamEps, weightDecay, clipNorm } = this.#settings;
    const settings = {
      beta1: adamBeta1,
      beta2: adamBeta2,
      epsilon: adamEps,
      weightDecay,
      clipNorm,
      valueRate: this.#valueRate,
    };
    return new Optimizer(policy.trainable, settings, state, policy.valueHead);
  }

  #restored({ trained, optimizer, valueHead }: EngineState, before: Trained): Trained {
    const { policy } = before;
    const head = policy.valueHead && new ValueHead(this.#model.config.hiddenSize, valueHead);
    const next = this.#packedPolicy(trained, head);
    before.optimizer.dispose();
    policy.dispose({ keepWeights: this.#lora !== null });
    return { policy: next, optimizer: this.#optimizer(next, optimizer) };
  }

  /** Hands the current weights to generators that have none yet. */
  async publish(): Promise<void> {
    const { engine } = this;
    const { weights, adapter } = engine.policy;
    if (weights instanceof FrozenBase) await engine.pool.setBase(engine.version, weights);
    else if (adapter !== null) await engine.pool.setWeights(engine.version, await weights.pack());
    await engine.publish();
  }

  /** Replaces the generators; call `publish` before they are asked. */
  replacePool(settings: PoolSettings): void {
    this.engine.pool.dispose();
    this.engine.pool = this.#environment.createPool(this.#generatorModel, settings);
  }

  /**
   * Runs `work` with the model that generators had under `version`. It gets the current policy if that has this version, or if its
   * weights are kept neither by the engine nor `stored` elsewhere; `own` is false in the last case.
   */
  async withVersion<T>(
    version: number,
    stored: KeptWeights,
    work: (model: LanguageModel, own: boolean) => Promise<T>,
  ): Promise<T> {
    const { engine } = this;
    const current = version === engine.version;
    const packed = current ? null : (engine.past.of(version) ?? (await stored(version)));
    if (packed === null) return work(engine.policy, current);
    const model = this.#packedPolicy(packed);
    try {
      return await work(model, true);
    } finally {
      model.dispose({ keepWeights: this.#lora !== null });
    }
  }

  /** The parts of the engine that answer a person's questions beside the run. */
  get #speakers(): Speakers {
    const { policy, reference, past } = this.engine;
    return {
      policy,
      reference,
      referenceArrays: this.#referenceArrays,
      past,
      generator: this.#generatorModel,
    };
  }

  /** Writes the answers of several voices to prompts of their own, with the same draws. @throws Error for a version that nobody keeps */
  async answers(
    asked: readonly AskedVoice[],
    sampling: VoiceSampling,
    models: PastModels = {},
  ): Promise<SampledCompletion[][]> {
    const { voicesAnswer } = await import('./speakers.ts');
    return voicesAnswer(this.#speakers, asked, sampling, models);
  }

  /** KL(now ‖ before) in nats before each token of answers. `before` is the voice of that name. */
  async divergences(answered: readonly Answered[], models: PastModels = {}): Promise<number[][]> {
    const { divergencesOf } = await import('./speakers.ts');
    return divergencesOf(this.#speakers, answered, models);
  }

  /** The policy's weights, with LoRA's factors merged into the base. */
  async weights(): Promise<WeightArrays> {
    const { weights, adapter } = this.engine.policy;
    if (adapter === null) return weights.toHuggingFace();
    const base = storedInMemory(await weights.toHuggingFace());
    const factors = { settings: adapter.settings, arrays: await adapter.toPeft() };
    return widened(mergedTensors(weights.config, base, factors));
  }

  /** LoRA's factors by PEFT's names, and the base unless it is frozen; null without LoRA. */
  async adapter(): Promise<AdapterParts | null> {
    const { weights, adapter } = this.engine.policy;
    if (adapter === null) return null;
    return {
      settings: adapter.settings,
      arrays: await adapter.toPeft(),
      base: weights instanceof FrozenBase ? null : await weights.toHuggingFace(),
    };
  }

  /** The weight and bias of the policy's value head, by name; null if it has none. */
  async valueHead(): Promise<WeightArrays | null> {
    return (await this.engine.policy.valueHead?.toNamed()) ?? null;
  }

  /** The merged weights of the reference, or its factors beside a frozen base; null if the reference is the base under LoRA. */
  get referenceArrays(): WeightArrays | null {
    return this.#referenceArrays;
  }

  /** Makes a reference of the current policy, merged unless its base is frozen, in place of `before`; or of `share` of it, without LoRA. */
  async #renewedReference(before: LanguageModel, share: number): Promise<LanguageModel> {
    const { weights, adapter } = this.engine.policy;
    const frozen = weights instanceof FrozenBase && adapter !== null ? { weights, adapter } : null;
    const now = frozen ? await frozen.adapter.toPeft() : await this.weights();
    const past = this.#referenceArrays;
    this.#referenceArrays = share < 1 && past !== null ? mixedArrays(past, now, share) : now;
    before.dispose({ keepWeights: before.weights === weights });
    return frozen ? this.#beside(frozen.weights, this.#referenceArrays) : this.#merged(this.#referenceArrays);
  }

  resetOptimizer(): void {
    const { policy, optimizer } = this.engine;
    optimizer.dispose();
    this.engine.optimizer = this.#optimizer(policy, null);
  }

  dispose(): void {
    this.engine.close();
    const { pool, optimizer, policy, reference } = this.engine;
    pool.dispose();
    optimizer.dispose();
    reference.dispose({ keepWeights: reference.weights === policy.weights });
    policy.dispose();
  }
}
