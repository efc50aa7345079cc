/**
 * The policy, its optimizer and its generators behind seven calls, the split that Tinker's custom training loops use. The calls separate
 * algorithms (sample, score, weigh) from the device; `TrainingLoop` uses nothing else of the engine.
 */
import { checkBackend } from '../backend/backendHealth.ts';
import type { Breathe } from '../backend/eventLoop.ts';
import { endMemoryStep } from '../backend/memory.ts';
import type { LossName } from '../loss/lossRows.ts';
import type { LanguageModel } from '../model/languageModel.ts';
import type { GeneratorPool, GroupRequest, GroupResult } from '../rollout/decoding/types.ts';
import { checkRequests, wholeSampling, type WantedSampling } from '../rollout/requests.ts';
import type { Sequence, TokenValues } from '../loss/sequence.ts';
import type { CustomLoss } from '../loss/customLoss.ts';
import type { NamedLoss, WeightedLoss } from '../loss/namedLoss.ts';
import type { Optimizer, UpdateOptions } from '../update/optimizer.ts';
import {
  CallQueue,
  checkedUpdate,
  checkLoss,
  checkModel,
  checkOptions,
  checkSampling,
  checkSequences,
  checkTokens,
  wholeSequence,
  type CallOptions,
  type EngineSequence,
  type SampleOptions,
} from './calls.ts';
import { askedInFull } from './askAgain.ts';
import { addLossGradient } from './backward.ts';
import { PastWeights } from './pastWeights.ts';
import { tokenValues } from './tokenValues.ts';
import { checkState, stateOf, type EngineState } from './state.ts';
import type { BackwardValues } from '../update/trainer.ts';

/** The parts that training changes. */
export interface Trained {
  readonly policy: LanguageModel;
  readonly optimizer: Optimizer;
}

export interface EngineParts extends Trained {
  /** The model that KL is measured against. Training never changes it. */
  readonly reference: LanguageModel;
  readonly pool: GeneratorPool;
  /** The most padded tokens that go through the model at once. */
  readonly microBatchTokens: number;
  /** Gives the event loop a turn. */
  readonly breathe: Breathe;
  /** The version of the policy's weights; 0 for a new run. */
  readonly version?: number;
  /** The longest prompt plus completion in tokens; by default the room of the model, padding included. */
  readonly positions?: number;
  /** The strings that end a completion if `sample` is given none; none by default. */
  readonly stopStrings?: readonly string[];
  /** Makes a policy and an optimizer from the result of `saveState`, and disposes of the previous ones. */
  readonly restore: (state: EngineState, before: Trained) => Trained;
  /** Makes a frozen mixture of the current policy, by `share`, and the previous reference, which it disposes of. */
  readonly renewReference: (before: LanguageModel, share: number) => Promise<LanguageModel>;
}

export class Engine {
  readonly #parts: EngineParts;
  #trained: Trained;
  #reference: LanguageModel;
  #pool: GeneratorPool;
  #version: number;
  /** The highest version that generators have had. They ignore one that is not newer. */
  #published = 0;
  /** True if the policy was updated under the current version. */
  #moved = false;
  /** True if a gradient was added since the last update. */
  #added = false;
  /**
   * The buffer for LoRA's factors at a hand-over. It is used again each time, because garbage collection leaves much of such memory
   * unused for steps.
   */
  #factors: Float32Array | undefined;
  readonly #calls = new CallQueue();
  /** The last weights, or under LoRA factors, that generators were given. */
  readonly past = new PastWeights();

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#trained = { policy: parts.policy, optimizer: parts.optimizer };
    this.#reference = parts.reference;
    this.#pool = parts.pool;
    this.#version = parts.version ?? 0;
  }

  /** The version of the policy's weights. Every `saveWeightsForSampler` makes a new one, above all that generators have had. */
  get version(): number {
    return this.#version;
  }

  /** True if generators have had weights that the policy went back from. */
  get generatorsAhead(): boolean {
    return this.#published > this.#version;
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

  /** Replaces the optimizer by one whose moments are new. */
  set optimizer(optimizer: Optimizer) {
    this.#trained = { ...this.#trained, optimizer };
    this.#added = false;
  }

  get generators(): number {
    return this.#pool.size;
  }

  /** The count of numbers, from 0 on, by which `sample` chooses a generator. Each machine that joins has two. */
  get places(): number {
    return this.#pool.places ?? this.#pool.size;
  }

  /** The seconds that generators have worked so far, summed over them. */
  get busySeconds(): number {
    return this.#pool.busySeconds;
  }

  /** The bytes of weights or factors that the last hand-over sent to each generator. */
  get handedOverBytes(): number {
    return this.#pool.handedOverBytes;
  }

  get pool(): GeneratorPool {
    return this.#pool;
  }

  /** Replaces the generators. The new ones have no weights: call `publish` before they are asked. */
  set pool(pool: GeneratorPool) {
    this.#pool = pool;
  }

  /**
   * Samples completions of each prompt by the generators' weights, with their log-probabilities. Every draw is a function of the
   * request's seed, step, problem and sample alone. A completion ends at a stop token, at a stop string (the renderer's, if none are
   * given) or after `maxTokens`. Requests that come back without an answer are repeated. This call may run beside the others, which run
   * one after the other in the order in which they were made.
   */
  async sample(
    requests: readonly GroupRequest[],
    sampling: WantedSampling,
    options: SampleOptions = {},
  ): Promise<GroupResult[]> {
    this.#calls.assertOpen('sample');
    checkSampling(requests, sampling, options);
    const whole = wholeSampling(sampling, this.#parts.stopStrings ?? []);
    checkRequests(requests);
    requests.forEach(({ promptIds }, index) => {
      checkTokens(promptIds, `Request ${index}: promptIds`, this.policy);
      this.#checkRoom(promptIds.length, whole.maxTokens, index);
    });
    const { generator, ...rest } = options;
    const pool = this.#pool;
    return this.#calls.beside(
      'sample',
      askedInFull(
        (open, hearing, round) =>
          generator === undefined
            ? pool.generate(open, whole, hearing)
            : pool.generateOn(
                round === 0 ? generator : (generator + round) % (pool.places ?? pool.size),
                open,
                whole,
                hearing,
              ),
        requests,
        rest,
      ),
    );
  }

  /** log p and entropy of each completion token under the policy or the reference, and for a policy with a value head also V before each token. */
  async computeLogprobs(
    sequences: readonly Pick<Sequence, 'promptIds' | 'tokens'>[],
    of: 'policy' | 'reference' = 'policy',
    options: CallOptions = {},
  ): Promise<TokenValues> {
    return this.#calls.run('computeLogprobs', () => {
      checkModel(of);
      checkOptions(options);
      checkSequences(sequences, this.policy, this.#parts.positions);
      return tokenValues(sequences, of === 'policy' ? this.policy : this.#reference, this.#parts, options);
    });
  }

  /**
   * Adds the gradient of a loss over `sequences` to the sum since the last `optimStep`. A name means the loss as its own system runs it.
   * A function gets [B, T] arrays of all sequences at once and returns the loss. Its gradient by log p and by the entropies goes through
   * the model as a weighted sum of them (Tinker's `forward_backward_custom`), which costs one more forward pass; so does leaving out
   * tokens of low entropy.
   */
  async forwardBackward(
    sequences: readonly EngineSequence[],
    loss: LossName | NamedLoss | WeightedLoss | CustomLoss,
    options: CallOptions = {},
  ): Promise<BackwardValues> {
    return this.#calls.run('forwardBackward', async () => {
      checkOptions(options);
      checkLoss(loss);
      checkSequences(sequences, this.policy, this.#parts.positions);
      const { policy, optimizer } = this;
      const { microBatchTokens, breathe } = this.#parts;
      const values = await addLossGradient(
        sequences.map(wholeSequence),
        loss,
        {
          policy,
          gradients: optimizer.gradients,
          valueGradients: optimizer.valueGradients,
          microBatchTokens,
          breathe,
          giveUp: () => this.#giveUp(),
        },
        options,
      );
      this.#added = true;
      return values;
    });
  }

  /**
   * Makes one AdamW update with the summed gradients times `gradientScale`.
   *
   * @throws Error, without changing the weights, if the gradients are not finite, if a call to the GPU has failed since, or if no
   * `forwardBackward` came before: AdamW would then move by its momentum alone.
   */
  async optimStep(learningRate: number, options: UpdateOptions = {}): Promise<{ gradNorm: number }> {
    return this.#calls.run('optimStep', async () => {
      const { optimizer } = this;
      const { gradientScale } = checkedUpdate(learningRate, options);
      if (!this.#added)
        throw new Error(
          'There are no gradients to update with: since the last update, or what cleared them, no forwardBackward has ended well. Call it first.',
        );
      try {
        await checkBackend();
        const { gradNorm } = await optimizer.update(learningRate, {
          gradientScale,
          breathe: this.#parts.breathe,
        });
        this.#added = false;
        this.#moved = true;
        await checkBackend();
        endMemoryStep();
        return { gradNorm };
      } catch (error) {
        this.#giveUp();
        throw error;
      }
    });
  }

  /** Forgets the gradients that were added since the last `optimStep`. @throws Error while another call is at work. */
  clearGradients(): void {
    this.#calls.assertIdle('clearGradients');
    this.#clear();
  }

  /** Hands the policy's weights (under LoRA only its factors) to the generators as the next version, and resolves to that version. */
  async saveWeightsForSampler(): Promise<number> {
    return this.#calls.run('saveWeightsForSampler', async () => {
      this.nextVersion();
      await this.#publish();
      return this.#version;
    });
  }

  /** Notes that the policy has changed; the next `publish` tells the generators. */
  nextVersion(): void {
    this.#version = Math.max(this.#version, this.#published) + 1;
    this.#moved = false;
  }

  /** Hands the policy's weights to new generators under the current version. */
  async publish(): Promise<void> {
    return this.#calls.run('publish', () => this.#publish());
  }

  /**
   * Makes the reference a mixture of `share` of the current policy and 1 − `share` of the previous reference, weight by weight (TR-DPO,
   * Gorbatovski et al. 2024). The default is the whole policy. @throws Error for a share below 1 under LoRA: a mixture of factors is no
   * mixture of weights.
   */
  async renewReference(share = 1): Promise<void> {
    return this.#calls.run('renewReference', async () => {
      if (!(share >= 0 && share <= 1))
        throw new Error(`The policy's share of the reference is ${share}; it must be from 0 to 1.`);
      if (share < 1 && this.policy.adapter !== null)
        throw new Error(
          `The policy's share of the reference is ${share}, but under LoRA a reference can't be mixed: mixed factors are no mixed weights. Leave it out.`,
        );
      this.#reference = await this.#parts.renewReference(this.#reference, share);
    });
  }

  async saveState(): Promise<EngineState> {
    return this.#calls.run('saveState', () => stateOf(this.#trained, this.#version));
  }

  /**
   * Returns to a saved state. The generators keep their weights until the next `saveWeightsForSampler`.
   *
   * @throws Error, without a change, for a state of another model or adapter, and while another call is at work.
   */
  loadState(state: EngineState): void {
    this.#calls.assertIdle('loadState');
    checkState(state, this.policy);
    this.#trained = this.#parts.restore(state, this.#trained);
    this.#version = state.version;
    this.#moved = false;
    this.#added = false;
  }

  /** Runs work on the engine's parts in its turn. `name` is the call that the caller made. */
  async inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#calls.run(name, work);
  }

  /** Takes no call from now on. The host disposes of what the engine holds. */
  close(): void {
    this.#calls.close();
  }

  #clear(): void {
    this.optimizer.clearGradients();
    this.#added = false;
  }

  /** Clears the gradients after a failure. If an update was made before it, the generators' weights are older than their version says. */
  #giveUp(): void {
    this.#clear();
    if (this.#moved) this.nextVersion();
  }

  async #publish(): Promise<void> {
    const { pool, policy } = this;
    if (policy.adapter === null) {
      const packed = await policy.trainable.pack();
      await checkBackend();
      await pool.setWeights(this.#version, packed);
      this.past.keep(this.#version, packed);
    } else {
      this.#factors = await policy.adapter.pack(this.#factors);
      await checkBackend();
      await pool.setAdapter(this.#version, this.#factors);
      this.past.keep(this.#version, this.#factors);
    }
    this.#published = Math.max(this.#version, this.#published);
  }

  #checkRoom(promptTokens: number, maxTokens: number, request: number): void {
    const { positions } = this.#parts;
    if (positions !== undefined && promptTokens + maxTokens > positions)
      throw new Error(
        `Request ${request}: a prompt of ${promptTokens} tokens and maxTokens ${maxTokens} are more than the ${positions} positions that the engine was opened for. Lower maxTokens, or open the engine with more positions.`,
      );
  }
}
