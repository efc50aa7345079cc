/**
 * Forward and backward of the whole model, one block at a time and without a tape. Forward keeps the activations of as many blocks as a
 * budget allows. The other blocks keep only their input, and backward runs them again (gradient checkpointing at block borders, Chen et
 * al. 2016). The caller's `breathe` is awaited between kernels, so that the page responds. With an adapter the weights are frozen, and
 * backward computes only the gradients of the adapter.
 */
import type { Breathe } from '../backend/eventLoop.ts';
import * as tf from '../backend/tf.ts';
import { embedding, embeddingGradient, gemm, rmsNorm } from '../kernels/index.ts';
import { AdapterPool, type Adapter, type Trainable, type TrainedGradients } from './adapter.ts';
import { ACTIVATION_BUDGET } from './activationBudget.ts';
import {
  activationFloats,
  blockAgain,
  blockBackward,
  blockForward,
  blockGradients,
  blockSlices,
  disposeActivations,
  type BlockActivations,
  type BlockInput,
  type BlockSlices,
} from './block.ts';
import type { ModelConfig } from './config.ts';
import {
  headGradient,
  headValues,
  type BaseWeights,
  type HeadPair,
  type HeadParts,
  type HeadValues,
  type Upstream,
} from './headPass.ts';
import { lowRankInput } from './linear.ts';
import { Rotations } from './rotations.ts';
import type { FrozenMatrix } from '../kernels/frozenMatrix/frozenMatrix.ts';
import type { Slice } from '../kernels/shared/slice.ts';
import { ModelWeights } from './weights.ts';
import {
  disposeSelection,
  selectedIntegers,
  selectRows,
  spreadValues,
  type RowSelection,
} from './rowSelection.ts';
import { disposeShared, shareRows, type SharedPositions } from './sharedPrompts.ts';
import type { ValueHead } from './valueHead.ts';
import { EMBEDDING, FINAL_NORM, HEAD } from './weightNames.ts';

/** Right-padded sequences, flattened: index b·length + t. */
export interface TokenBatch {
  readonly batch: number;
  readonly length: number;
  readonly ids: Int32Array;
  /** The token that each position predicts; any token (0) where the loss weight is zero. */
  readonly targets: Int32Array;
  /** The positions whose prediction is wanted, ascending; all of them by default. */
  readonly wanted?: Int32Array;
  /** The positions that are computed, where rows share prompts; all of them by default. It needs `wanted`. */
  readonly shared?: SharedPositions | null;
}

/** The results of forward that backward needs. */
export interface ForwardState {
  readonly ids: tf.Tensor1D;
  readonly targets: tf.Tensor1D;
  readonly input: Pick<BlockInput, 'batch' | 'length' | 'shared'> & { readonly positions: tf.Tensor };
  /** The positions that go on after the last attention; null for all positions. */
  readonly selection: RowSelection | null;
  /** The input of each block, and its activations unless it is to be run again; empty without a backward pass. */
  readonly blocks: { x: tf.Tensor; activations: BlockActivations | null }[];
  /** The output of the last block [N, D], or [M, D] of the selection; `targets` has the same rows. */
  readonly hidden: tf.Tensor;
}

/** `x` times a factor, or a second handle of `x` where the factor is 1. */
const scaled = <T extends tf.Tensor>(x: T, factor: number): T =>
  factor === 1 ? tf.clone(x) : tf.mul(x, factor);

export class LanguageModel implements HeadParts {
  readonly config: ModelConfig;
  readonly weights: BaseWeights;
  readonly adapter: Adapter | null;
  readonly headPair: HeadPair | null;
  readonly valueHead: ValueHead | null;
  /** The longest padded sequence. */
  readonly positions: number;
  readonly rotations: Rotations;
  readonly blocks: readonly BlockSlices[];
  readonly #activationBytes: number;

  /**
   * `positions` is the longest padded sequence of this instance. Several instances may share weights, as a policy with an adapter and its
   * base model do. `activationBytes` is what a microbatch may keep for its backward pass.
   */
  constructor(
    weights: BaseWeights,
    positions: number,
    adapter: Adapter | null = null,
    activationBytes = ACTIVATION_BUDGET,
    valueHead: ValueHead | null = null,
  ) {
    this.valueHead = valueHead;
    this.#activationBytes = activationBytes;
    const { config } = weights;
    this.config = config;
    this.weights = weights;
    this.adapter = adapter;
    const [pair] = adapter?.pairsOf(HEAD) ?? [];
    this.headPair = adapter && pair ? { ...pair, scale: adapter.scale } : null;
    this.positions = positions;
    this.rotations = new Rotations(config, positions);
    this.blocks = Array.from({ length: config.layers }, (_, layer) =>
      blockSlices<Slice | FrozenMatrix>(weights, layer, adapter),
    );
  }

  /** The part that an optimizer updates: the adapter, or else the weights. @throws Error for a frozen base alone. */
  get trainable(): Trainable {
    return this.adapter ?? this.pool;
  }

  /** The weights, if they are no frozen base. */
  get pool(): ModelWeights {
    if (this.weights instanceof ModelWeights) return this.weights;
    throw new Error('The weights of this model are frozen: they are in no pool and can not be trained.');
  }

  /** Frees weights, adapter and value head. `keepWeights` leaves the weights to another instance that shares them. */
  dispose({ keepWeights = false } = {}): void {
    this.rotations.dispose();
    this.adapter?.dispose();
    this.valueHead?.dispose();
    if (!keepWeights) this.weights.dispose();
  }

  /** The input [N, D] of the first block. */
  embed(ids: tf.Tensor): tf.Tensor {
    return tf.tidy(() => scaled(embedding(this.weights.matrix(EMBEDDING), ids), this.config.embeddingScale));
  }

  finalNorm(hidden: tf.Tensor): tf.Tensor2D {
    return rmsNorm(hidden, this.weights.get(FINAL_NORM), this.config.rmsEps, this.config.normShift);
  }

  /** The head's input where logits themselves are wanted, so that they come out times the model's factor. */
  scaledForLogits(normed: tf.Tensor): tf.Tensor {
    return scaled(normed, this.config.logitScale);
  }

  /** Runs embedding and blocks. It keeps everything for a backward pass that the budget allows, or only the result. Release the state when done. */
  async forward(
    tokens: TokenBatch,
    breathe: Breathe,
    { forBackward } = { forBackward: true },
  ): Promise<ForwardState> {
    const { batch, length } = tokens;
    if (tokens.shared && !tokens.wanted)
      throw new Error('Positions are shared, so those whose prediction is wanted must be named.');
    const shared = tokens.shared ? shareRows(tokens.shared, tokens) : null;
    const computed = shared?.positions ?? Int32Array.from(tokens.ids.keys());
    const positions = computed.map((position) => Math.max(0, position) % length);
    const input = { batch, length, shared, positions: tf.tensor1d(positions, 'int32') };
    const ids = tf.tensor1d(
      computed.map((position) => tokens.ids[position] ?? 0),
      'int32',
    );
    const blockBytes = 4 * computed.length * activationFloats(this.config);
    // Backward needs the last blocks first: they are freed before the others are run again.
    const rerun = Math.max(0, this.config.layers - Math.floor(this.#activationBytes / blockBytes));
    const selection = tokens.wanted ? selectRows(tokens.wanted, batch * length, shared) : null;
    const blocks: ForwardState['blocks'] = [];
    let x = this.embed(ids);
    for (const [layer, parameters] of this.blocks.entries()) {
      const ofLayer = this.#inputOf(layer, input);
      const behind = this.#behind(layer, selection);
      const { y, activations } = await blockForward(x, parameters, ofLayer, behind, breathe);
      const kept = forBackward && layer >= rerun;
      if (!kept) disposeActivations(activations);
      if (forBackward) blocks.push({ x, activations: kept ? activations : null });
      else x.dispose();
      x = y;
      await breathe();
    }
    const targets = tf.tensor1d(selectedIntegers(tokens.targets, selection), 'int32');
    return { ids, targets, input, selection, blocks, hidden: x };
  }

  release({ ids, targets, input, selection, blocks, hidden }: ForwardState): void {
    tf.dispose([ids, targets, input.positions, hidden]);
    if (input.shared) disposeShared(input.shared);
    if (selection) disposeSelection(selection);
    for (const { x, activations } of blocks) {
      x.dispose();
      if (activations) disposeActivations(activations);
    }
    blocks.length = 0;
  }

  /**
   * The log-probability of each target and the entropy of each position, both [N], at a temperature; 0 where they are not wanted.
   * `slopes` makes what backward may begin with if the loss has no term of the entropy; a head that learns has none. `breathe` is awaited
   * between chunks of positions.
   */
  logprobs(
    state: ForwardState,
    temperature: number,
    breathe: Breathe,
    { slopes } = { slopes: false },
  ): Promise<HeadValues> {
    return headValues(this, state, temperature, breathe, slopes);
  }

  /** The logits [M, V] of each position that goes on. The positions must be few, because the whole vocabulary is in memory. */
  logits({ hidden }: ForwardState): tf.Tensor2D {
    return tf.tidy(() => {
      const normed = this.scaledForLogits(this.finalNorm(hidden));
      const logits = gemm(normed, this.weights.head, 'nt');
      const { headPair } = this;
      if (headPair === null) return logits;
      return tf.add(logits, gemm(lowRankInput(normed, headPair, headPair.scale), headPair.b, 'nn'));
    });
  }

  /** V of each position [N]; 0 where it is not wanted. @throws Error if the model has no value head. */
  values(state: ForwardState): tf.Tensor1D {
    const { valueHead } = this;
    if (valueHead === null) throw new Error('Values are wanted of a model that has no value head.');
    return tf.tidy(() => {
      const normed = this.finalNorm(state.hidden);
      return spreadValues(valueHead.values(normed), state.selection);
    });
  }

  /**
   * Adds d loss / d parameter to `gradients`, which are those of `trainable`, from the gradients of the results of `logprobs` (at that
   * temperature) and `values`. Consumes the activations of `state`.
   */
  async backward(
    state: ForwardState,
    upstream: Upstream,
    temperature: number,
    gradients: TrainedGradients,
    breathe: Breathe,
  ): Promise<void> {
    const frozen = gradients instanceof AdapterPool;
    if (frozen !== (this.adapter !== null))
      throw new Error(
        frozen
          ? 'The gradients are those of an adapter, but the model has none.'
          : 'The model has an adapter and its weights are frozen, but the gradients are those of the weights.',
      );
    let dy = await headGradient(this, state, upstream, temperature, gradients, breathe);
    await breathe();
    for (let layer = this.config.layers - 1; layer >= 0; layer--) {
      const block = state.blocks.pop();
      const parameters = this.blocks[layer];
      if (!block || !parameters) throw new Error('The state was not kept for a backward pass.');
      const { x } = block;
      const selection = this.#behind(layer, state.selection);
      const activations =
        block.activations ??
        (await blockAgain(x, parameters, this.#inputOf(layer, state.input), selection, breathe));
      const dx = await blockBackward(
        { x, dy },
        activations,
        parameters,
        blockGradients(gradients, layer),
        this.#inputOf(layer, state.input),
        selection,
        breathe,
      );
      disposeActivations(activations);
      tf.dispose([x, dy]);
      dy = dx;
      await breathe();
    }
    if (!frozen) {
      const dEmbedding = scaled(dy, this.config.embeddingScale);
      embeddingGradient(dEmbedding, state.ids, gradients.get(EMBEDDING));
      dEmbedding.dispose();
    }
    dy.dispose();
    await breathe();
  }

  #inputOf(layer: number, { positions, ...input }: ForwardState['input']): BlockInput {
    return { ...input, config: this.config, layer, rotation: this.rotations.of(layer, positions) };
  }

  #behind(layer: number, selection: RowSelection | null): RowSelection | null {
    return layer === this.config.layers - 1 ? selection : null;
  }
}
