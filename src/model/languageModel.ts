/**
 * Forward and backward of the whole model, one block at a time. Forward keeps only each block's input; backward re-runs a
 * block under a tape of its own and drops it (gradient checkpointing at block borders, Chen et al. 2016). The caller's
 * `breathe` is awaited between blocks, so the page stays responsive.
 */
import * as tf from '../backend/tf.ts';
import { causalAttention, embedding, embeddingGradient, rmsNorm, tokenLogprobs } from '../kernels/index.ts';
import {
  afterAttention,
  blockParameterNames,
  blockParameters,
  queriesKeysValues,
  type RopeTensors,
} from './block.ts';
import type { ModelConfig } from './config.ts';
import { ropeTables } from './rope.ts';
import type { ModelWeights } from './weights.ts';

/** Right-padded sequences, flattened: index b·length + t. */
export interface TokenBatch {
  readonly batch: number;
  readonly length: number;
  readonly ids: Int32Array;
  /** The token that each position predicts; anything (0) where the loss weight is zero. */
  readonly targets: Int32Array;
}

export type Breathe = () => Promise<void>;

/** Adds gradients by parameter name and owns their tensors. */
export class Gradients {
  readonly #sums = new Map<string, tf.Tensor>();

  /** Takes ownership of `gradient`. */
  add(name: string, gradient: tf.Tensor): void {
    const sum = this.#sums.get(name);
    if (!sum) {
      this.#sums.set(name, tf.keep(gradient));
      return;
    }
    this.#sums.set(name, tf.keep(tf.add(sum, gradient)));
    tf.dispose([sum, gradient]);
  }

  get(name: string): tf.Tensor {
    const sum = this.#sums.get(name);
    if (!sum) throw new Error(`No gradient has been computed for ${name}.`);
    return sum;
  }

  dispose(): void {
    for (const sum of this.#sums.values()) sum.dispose();
    this.#sums.clear();
  }
}

/** What forward leaves behind for backward. */
export interface ForwardState {
  readonly ids: tf.Tensor1D;
  readonly targets: tf.Tensor1D;
  readonly positions: tf.Tensor1D;
  /** The input of each block, then the output of the last. */
  readonly activations: tf.Tensor[];
  readonly batch: number;
  readonly length: number;
}

const EMBEDDING = 'model.embed_tokens.weight';
const FINAL_NORM = 'model.norm.weight';

export class LanguageModel {
  readonly config: ModelConfig;
  readonly weights: ModelWeights;
  readonly #tables: RopeTensors;

  /** `positions`: the longest padded sequence this instance will meet. */
  constructor(weights: ModelWeights, positions: number) {
    const { config } = weights;
    this.config = config;
    this.weights = weights;
    const { cosines, sines } = ropeTables(config, positions);
    const shape: [number, number] = [positions, config.headDim / 2];
    this.#tables = {
      cosines: tf.keep(tf.tensor2d(cosines, shape)),
      sines: tf.keep(tf.tensor2d(sines, shape)),
    };
  }

  get ropeTables(): RopeTensors {
    return this.#tables;
  }

  dispose(): void {
    tf.dispose([this.#tables.cosines, this.#tables.sines]);
    this.weights.dispose();
  }

  #block(layer: number, state: Pick<ForwardState, 'batch' | 'length' | 'positions'>) {
    const names = blockParameterNames(this.config, layer);
    const { heads, kvHeads, headDim } = this.config;
    const { batch, length, positions } = state;
    const run = (x: tf.Tensor, ...tensors: tf.Tensor[]): tf.Tensor => {
      const parameters = blockParameters(names, tensors);
      const { q, k, v } = queriesKeysValues(x, positions, parameters, this.config, this.#tables);
      const mixed = causalAttention(q, k, v, { batch, length, heads, kvHeads, headDim });
      return afterAttention(x, mixed, parameters, this.config);
    };
    return { names, run, tensors: names.map((name) => this.weights.get(name)) };
  }

  /** Runs embedding and blocks. With `keepAll` false only the last activation survives (no backward possible). */
  async forward(tokens: TokenBatch, breathe: Breathe, keepAll = true): Promise<ForwardState> {
    const { batch, length } = tokens;
    const ids = tf.tensor1d(tokens.ids, 'int32');
    const targets = tf.tensor1d(tokens.targets, 'int32');
    const positions = tf.tensor1d(
      Int32Array.from({ length: batch * length }, (_, i) => i % length),
      'int32',
    );
    const activations: tf.Tensor[] = [embedding(this.weights.get(EMBEDDING), ids)];
    for (let layer = 0; layer < this.config.layers; layer++) {
      const { run, tensors } = this.#block(layer, { batch, length, positions });
      const x = activations.at(-1) as tf.Tensor;
      const y = tf.tidy(() => run(x, ...tensors));
      if (!keepAll) {
        x.dispose();
        activations.pop();
      }
      activations.push(y);
      await breathe();
    }
    return { ids, targets, positions, activations, batch, length };
  }

  release(state: ForwardState): void {
    tf.dispose([state.ids, state.targets, state.positions, ...state.activations]);
  }

  /** Log-probability of each target and entropy of each position, both [N], at a temperature. */
  logprobs(state: ForwardState, temperature: number): { logprob: tf.Tensor1D; entropy: tf.Tensor1D } {
    return tf.tidy(() => {
      const hidden = state.activations.at(-1) as tf.Tensor;
      const normed = rmsNorm(hidden, this.weights.get(FINAL_NORM), this.config.rmsEps);
      return tokenLogprobs(normed, this.weights.head, state.targets, temperature);
    });
  }

  /**
   * Adds d loss / d parameter to `gradients`, given d loss / d logprob and d loss / d entropy [N] at that temperature.
   * Consumes the activations of `state`.
   */
  async backward(
    state: ForwardState,
    upstream: { logprob: tf.Tensor; entropy: tf.Tensor },
    temperature: number,
    gradients: Gradients,
    breathe: Breathe,
  ): Promise<void> {
    const headName = this.config.tiedHead ? EMBEDDING : 'lm_head.weight';
    const hidden = state.activations.pop() as tf.Tensor;
    // The two outputs are reduced to one scalar whose gradient is the upstream itself.
    const surrogate = (x: tf.Tensor, gamma: tf.Tensor, head: tf.Tensor): tf.Tensor => {
      const normed = rmsNorm(x, gamma, this.config.rmsEps);
      const { logprob, entropy } = tokenLogprobs(normed, head, state.targets, temperature);
      return tf.add(tf.sum(tf.mul(logprob, upstream.logprob)), tf.sum(tf.mul(entropy, upstream.entropy)));
    };
    const [dhidden, dgamma, dhead] = tf.grads(surrogate)([
      hidden,
      this.weights.get(FINAL_NORM),
      this.weights.head,
    ]) as [tf.Tensor, tf.Tensor, tf.Tensor];
    gradients.add(FINAL_NORM, dgamma);
    gradients.add(headName, dhead);
    hidden.dispose();
    await breathe();

    let dy = dhidden;
    for (let layer = this.config.layers - 1; layer >= 0; layer--) {
      const { names, run, tensors } = this.#block(layer, state);
      const x = state.activations.pop() as tf.Tensor;
      const [dx, ...dparameters] = tf.grads(run)([x, ...tensors], dy) as [tf.Tensor, ...tf.Tensor[]];
      names.forEach((name, i) => gradients.add(name, dparameters[i] as tf.Tensor));
      tf.dispose([x, dy]);
      dy = dx;
      await breathe();
    }
    const { vocabSize, hiddenSize } = this.config;
    const dtable = tf.zeros([vocabSize, hiddenSize]);
    embeddingGradient(dy, state.ids, { tensor: dtable, offset: 0, shape: dtable.shape });
    gradients.add(EMBEDDING, dtable);
    dy.dispose();
  }
}
