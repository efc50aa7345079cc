/**
 * The policy, its optimizer and its generators behind seven calls: the split that Tinker's custom training loops use. Algorithms stand
 * on one side (sample, score, weigh), the device on the other; `TrainingLoop` uses nothing else.
 */
import { endMemoryStep } from '../backend/memory.ts';
import type { Breathe, LanguageModel } from '../model/languageModel.ts';
import type { GenerateOptions, GeneratorPool, GroupRequest, GroupResult } from '../rollout/types.ts';
import { checkRequests, wholeSampling, type WantedSampling } from '../rollout/sampling.ts';
import { packMicrobatches, type Sequence } from './batch.ts';
import { customGradients, type CustomLoss } from './customLoss.ts';
import { reinforce, type LossName } from './losses.ts';
import { weightedLoss, type NamedLoss, type WeightedLoss } from './namedLoss.ts';
import type { Optimizer, OptimizerState } from './optimizer.ts';
import { checkSequences, checkTokens } from './sequenceChecks.ts';
import { forwardBackward, forwardOnly, type BackwardValues, type TokenValues } from './trainer.ts';

/** What training changes. */
export interface Trained {
  readonly policy: LanguageModel;
  readonly optimizer: Optimizer;
}

export interface EngineParts extends Trained {
  /** What KL is measured against; never changed by training. */
  readonly reference: LanguageModel;
  readonly pool: GeneratorPool;
  /** Padded tokens that go through the model at once. */
  readonly microBatchTokens: number;
  /** Gives the event loop a turn. */
  readonly breathe: Breathe;
  /** Version of the weights at hand; 0 for a new run. */
  readonly version?: number;
  /** What ends a completion where `sample` is not told; none by default. */
  readonly stopStrings?: readonly string[];
  /** A policy and an optimizer with what `saveState` gave; those at hand are disposed by it. */
  readonly restore: (state: EngineState, before: Trained) => Trained;
}

export type { NamedLoss, WeightedLoss } from './namedLoss.ts';

export interface CallOptions {
  /** Of every log-probability; 1 by default. */
  readonly temperature?: number;
  /** Hears the padded tokens done since it was last called. */
  readonly onProgress?: (tokens: number) => void;
  /** p_old = stop-gradient(p): the ratio is exactly 1. */
  readonly ratioToItself?: boolean;
}

/** Everything that training goes on from. */
export interface EngineState {
  /** What is trained, packed: all weights, or LoRA's factors. */
  readonly trained: Float32Array;
  readonly optimizer: OptimizerState;
  readonly version: number;
}

export class Engine {
  readonly #parts: EngineParts;
  #trained: Trained;
  #reference: LanguageModel;
  #pool: GeneratorPool;
  #version: number;
  /** The highest version that generators have had: they ignore one that is not newer. */
  #published = 0;
  /** Whether the policy was updated under the version at hand. */
  #moved = false;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#trained = { policy: parts.policy, optimizer: parts.optimizer };
    this.#reference = parts.reference;
    this.#pool = parts.pool;
    this.#version = parts.version ?? 0;
  }

  /** Of the weights at hand; every `saveWeightsForSampler` gives them a new one, above all that generators have had. */
  get version(): number {
    return this.#version;
  }

  get policy(): LanguageModel {
    return this.#trained.policy;
  }

  get optimizer(): Optimizer {
    return this.#trained.optimizer;
  }

  get reference(): LanguageModel {
    return this.#reference;
  }

  /** What KL is measured against from now on; the one before is the caller's to dispose of. */
  set reference(model: LanguageModel) {
    this.#reference = model;
  }

  /** With an optimizer whose moments are new. */
  set optimizer(optimizer: Optimizer) {
    this.#trained = { ...this.#trained, optimizer };
  }

  get pool(): GeneratorPool {
    return this.#pool;
  }

  /** Generators without weights: `publish` before they are asked. */
  set pool(pool: GeneratorPool) {
    this.#pool = pool;
  }

  /**
   * Completions of each prompt by the generators' weights, with their log-probabilities. Every draw is a function of the request's
   * seed, step, problem and sample alone. Ends at a stop token, at a stop string (the renderer's, if none are given) or after `maxTokens`.
   */
  async sample(
    requests: readonly GroupRequest[],
    sampling: WantedSampling,
    options: GenerateOptions = {},
  ): Promise<GroupResult[]> {
    const whole = wholeSampling(sampling, this.#parts.stopStrings ?? []);
    checkRequests(requests);
    requests.forEach(({ promptIds }, index) => {
      checkTokens(promptIds, `Request ${index}: promptIds`, this.policy);
    });
    return this.#pool.generate(requests, whole, options);
  }

  /** log p and entropy of each completion token under the policy at hand or the reference. */
  async computeLogprobs(
    sequences: readonly Pick<Sequence, 'promptIds' | 'tokens'>[],
    of: 'policy' | 'reference' = 'policy',
    { temperature = 1, onProgress }: CallOptions = {},
  ): Promise<TokenValues> {
    const { breathe, microBatchTokens } = this.#parts;
    checkTemperature(temperature);
    checkSequences(sequences, this.policy);
    const microbatches = packMicrobatches(
      sequences.map(({ promptIds, tokens }) => ({ promptIds, tokens, samplerLogprobs: [], advantages: [] })),
      () => 0,
      microBatchTokens,
    );
    const model = of === 'policy' ? this.policy : this.#reference;
    return forwardOnly(microbatches, { policy: model, temperature, breathe, onProgress });
  }

  /**
   * Adds the gradient of a loss over `sequences` to what was added since the last `optimStep`. A name stands for the loss as its own system runs it.
   * A function of ours is given [B, T] arrays of all sequences at once and returns the loss; its gradient by log p then
   * goes through the model as a weighted sum of log p (Tinker's `forward_backward_custom`), which costs one forward pass more.
   */
  async forwardBackward(
    sequences: readonly Sequence[],
    loss: LossName | NamedLoss | WeightedLoss | CustomLoss,
    options: CallOptions = {},
  ): Promise<BackwardValues> {
    if (sequences.length === 0) return { loss: 0, logprobs: [], entropies: [] };
    checkTemperature(options.temperature ?? 1);
    checkSequences(sequences, this.policy);
    if (typeof loss === 'function') return this.#custom(sequences, loss, options);
    const weighted =
      typeof loss === 'object' && 'tokenLoss' in loss
        ? loss
        : weightedLoss(sequences, loss, options.ratioToItself);
    return this.#accumulate(sequences, weighted, options);
  }

  /**
   * One AdamW update with the gradients added up, multiplied by `gradientScale`. Throws, leaving the weights as they are, when they are
   * not finite.
   */
  async optimStep(learningRate: number, { gradientScale = 1 } = {}): Promise<{ gradNorm: number }> {
    const { optimizer } = this;
    if (!(learningRate >= 0 && Number.isFinite(learningRate)))
      throw new Error(`The learning rate is ${learningRate}; it must be a finite number from 0 up.`);
    try {
      const { gradNorm } = await optimizer.update(learningRate, { gradientScale });
      this.#moved = true;
      endMemoryStep();
      return { gradNorm };
    } catch (error) {
      this.#giveUp();
      throw error;
    }
  }

  /** Forgets the gradients added up since the last `optimStep`. */
  clearGradients(): void {
    this.optimizer.clearGradients();
  }

  /** Hands the policy's weights (under LoRA its factors alone) to the generators as the next version, which it resolves to. */
  async saveWeightsForSampler(): Promise<number> {
    this.nextVersion();
    await this.publish();
    return this.#version;
  }

  /** The policy has changed, and generators will be told by the next `publish`. */
  nextVersion(): void {
    this.#version = Math.max(this.#version, this.#published) + 1;
    this.#moved = false;
  }

  /** The same under the version at hand: for generators that are new. */
  async publish(): Promise<void> {
    const { pool, policy } = this;
    this.#published = Math.max(this.#version, this.#published);
    if (policy.adapter === null) await pool.setWeights(this.#version, await policy.weights.pack());
    else await pool.setAdapter(this.#version, await policy.adapter.pack());
  }

  async saveState(): Promise<EngineState> {
    const { policy, optimizer } = this;
    const trained = await policy.trainable.pack();
    return { trained, optimizer: await optimizer.state(), version: this.#version };
  }

  /** Back to a saved state; the generators keep their weights until the next `saveWeightsForSampler`. */
  loadState(state: EngineState): void {
    this.#trained = this.#parts.restore(state, this.#trained);
    this.#version = state.version;
    this.#moved = false;
  }

  /** After a failure: what the generators have is older now than their version says, if an update was made before it. */
  #giveUp(): void {
    this.clearGradients();
    if (this.#moved) this.nextVersion();
  }

  async #accumulate(
    sequences: readonly Sequence[],
    { tokenLoss: loss, weightOf }: WeightedLoss,
    { temperature = 1, onProgress, ratioToItself }: CallOptions,
  ): Promise<BackwardValues> {
    const { breathe, microBatchTokens } = this.#parts;
    const { policy, optimizer } = this;
    const microbatches = packMicrobatches(sequences, weightOf, microBatchTokens);
    try {
      return await forwardBackward(
        microbatches,
        { policy, temperature, loss, breathe, onProgress, ratioToItself },
        optimizer.gradients,
      );
    } catch (error) {
      this.#giveUp();
      throw error;
    }
  }

  async #custom(
    sequences: readonly Sequence[],
    loss: CustomLoss,
    options: CallOptions,
  ): Promise<BackwardValues> {
    const before = await this.computeLogprobs(sequences, 'policy', options);
    const old = options.ratioToItself === true ? before.logprobs : null;
    const { value, gradients } = await customGradients(sequences, before.logprobs, loss, old);
    // ℓ = g · log p has the gradient g, whatever the loss was.
    const surrogate = sequences.map((sequence, i) => ({
      ...sequence,
      advantages: Array.from(gradients[i] ?? [], (gradient) => -gradient),
    }));
    await this.#accumulate(surrogate, { tokenLoss: reinforce, weightOf: () => 1 }, options);
    return { ...before, loss: value };
  }
}

function checkTemperature(temperature: number): void {
  if (!(temperature > 0 && Number.isFinite(temperature)))
    throw new Error(`The temperature of log-probabilities is ${temperature}; it must be a number above 0.`);
}
