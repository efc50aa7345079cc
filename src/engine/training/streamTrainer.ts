/**
 * Trains while answers still come in (Tinker's streaming minibatches). The gradients of each part are added as soon as it arrives, and an
 * update is made of several parts. The divisor of an average is known only when the last part has come: until then gradients are sums,
 * and the update divides.
 */
import type { Sequence } from '../loss/sequence.ts';
import type { Engine } from '../calls/engine.ts';
import type { LossOptions } from '../loss/trainingLoss.ts';
import type { TrainedValues, UpdateRecord } from './records.ts';
import { tokenWeights } from '../loss/reduction.ts';
import { addGradient, measureUpdate } from './batchTrainer.ts';

export interface StreamTrainerOptions {
  readonly engine: Engine;
  readonly loss: LossOptions;
  readonly learningRate: number;
  readonly partsPerUpdate: number;
}

export class StreamTrainer {
  readonly #options: StreamTrainerOptions;
  readonly #updates: UpdateRecord[] = [];
  /** The parts of the current update. */
  #parts: (readonly Sequence[])[] = [];
  #trained: TrainedValues[] = [];
  #loss = 0;

  constructor(options: StreamTrainerOptions) {
    this.#options = options;
  }

  get updates(): readonly UpdateRecord[] {
    return this.#updates;
  }

  /** Adds the gradient of a part, which may be empty; its sequences have log p_ref. Resolves to what training on each of them saw. */
  async add(part: readonly Sequence[]): Promise<TrainedValues[]> {
    const { loss, partsPerUpdate } = this.#options;
    const weights = tokenWeights(loss.reduction, loss.maxTokens);
    // The average of bnpo then gives each of the M parts the same weight, so a part needs no other.
    const own =
      loss.reduction === 'minibatch_token_mean' ? partsPerUpdate * weights.denominator([part], 0) : 1;
    const ratioToItself = loss.oldLogprobs === 'trainer';
    const share = { denominator: own, parts: partsPerUpdate };
    const values = await addGradient(part, share, { ...this.#options, ratioToItself });
    this.#loss += values.loss;
    this.#parts.push(part);
    this.#trained.push(...values.trained);
    return values.trained;
  }

  /** Makes the update of all parts since the last one, or none if all of them were empty. */
  async update(): Promise<void> {
    const { engine, loss, learningRate } = this.#options;
    const sequences = this.#parts.flat();
    if (sequences.length > 0) {
      const weights = tokenWeights(loss.reduction, loss.maxTokens);
      const gradientScale =
        loss.reduction === 'minibatch_token_mean' ? 1 : 1 / weights.denominator(this.#parts, 0);
      const { gradNorm } = await engine.optimStep(learningRate, { gradientScale });
      const logprobs = this.#trained.map((values) => values.logprobs);
      const measured = measureUpdate(sequences, logprobs, loss, loss.oldLogprobs === 'trainer');
      this.#updates.push({ loss: this.#loss * gradientScale, gradNorm, ...measured });
    }
    this.#parts = [];
    this.#trained = [];
    this.#loss = 0;
  }
}
