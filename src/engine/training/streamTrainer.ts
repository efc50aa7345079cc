/**
 * Trains while answers still come in (Tinker's streaming minibatches): gradients of each part are added up as soon as it is there, and an
 * update is made of several. What an average divides by is known only when the last part has come: until then gradients
 * are sums, and the update divides.
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
  /** Parts that make up an update. */
  readonly partsPerUpdate: number;
}

export class StreamTrainer {
  readonly #options: StreamTrainerOptions;
  readonly #updates: UpdateRecord[] = [];
  /** Parts of the current update. */
  #parts: (readonly Sequence[])[] = [];
  #trained: TrainedValues[] = [];
  #loss = 0;

  constructor(options: StreamTrainerOptions) {
    this.#options = options;
  }

  get updates(): readonly UpdateRecord[] {
    return this.#updates;
  }

  /** Adds the gradient of a part, which may be empty; sequences carry log p_ref. Resolves to what training on each saw. */
  async add(part: readonly Sequence[]): Promise<TrainedValues[]> {
    const { loss, partsPerUpdate } = this.#options;
    const weights = tokenWeights(loss.reduction, loss.maxTokens);
    // Of bnpo's average each part knows its own share: M parts of the same weight.
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

  /** The update of all parts added since the last; none where all of them were empty. */
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
