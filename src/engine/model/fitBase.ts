/**
 * Rounds the layers of a small model to 4 bits by what they do to sequences of its task. The sequences run through the exact model and
 * through the rounded one side by side, a layer at a time. Each map is rounded when its input is there (`fitToInputs`), so that it makes up
 * for what the maps before it lost.
 */
import type { Breathe } from '../backend/eventLoop.ts';
import * as tf from '../backend/tf.ts';
import { fitToInputs, type InputSums } from '../kernels/blockFormats/fitToInputs.ts';
import { readFrozenRows, writeFrozenRows } from '../kernels/frozenMatrix/storage.ts';
import { gemm } from '../kernels/index.ts';
import { activationFloats, blockForward, disposeActivations, mapNames, type BlockMap } from './block.ts';
import type { ModelConfig } from './config.ts';
import { FrozenBase } from './frozenBase.ts';
import { LanguageModel } from './languageModel.ts';
import type { StoredWeights } from './storedWeights.ts';

/** The bytes of the activations of a layer that one stream of sequences may take. Later sequences are left out where it would take more. */
const ACTIVATION_BYTES = 128 * 2 ** 20;

/** Sequences of tokens, padded to one length. */
function padded(all: readonly (readonly number[])[], config: ModelConfig) {
  const length = Math.max(1, ...all.map((ids) => ids.length));
  const { hiddenSize, heads, headDim, mlpSize } = config;
  const ofInputs = 2 * hiddenSize + heads * headDim + mlpSize;
  const most = Math.floor(ACTIVATION_BYTES / (4 * length * (activationFloats(config) + ofInputs)));
  const sequences = all.slice(0, Math.max(1, most));
  const batch = sequences.length;
  const ids = new Int32Array(batch * length);
  const counts = new Float32Array(batch * length);
  for (const [row, tokens] of sequences.entries()) {
    ids.set(tokens, row * length);
    counts.fill(1, row * length, row * length + tokens.length);
  }
  const positions = Int32Array.from(ids, (_, i) => i % length);
  return { batch, length, ids, counts, positions };
}

/** Sums over the inputs that count; each of `counts` is 1 or 0. */
async function sumsOf(exact: tf.Tensor, rounded: tf.Tensor, counts: tf.Tensor): Promise<InputSums> {
  const [squares, crossed] = tf.tidy(() => {
    const counted = tf.mul(rounded, counts);
    return [gemm(counted, counted, 'tn'), gemm(exact, counted, 'tn')] as const;
  });
  const sums = { rounded: await squares.data<'float32'>(), crossed: await crossed.data<'float32'>() };
  tf.dispose([squares, crossed]);
  return sums as InputSums;
}

/** Rounds the matrices of `base` that are in Q4_1 anew. `weights` are those that it was made of. */
export async function fitBase(
  base: FrozenBase,
  weights: StoredWeights,
  sequences: readonly (readonly number[])[],
  breathe: Breathe,
): Promise<void> {
  const { config } = base;
  const { batch, length, ids, counts, positions } = padded(sequences, config);
  const exactBase = await FrozenBase.load(config, weights, 'f32', breathe);
  const exact = new LanguageModel(exactBase, length);
  const rounded = new LanguageModel(base, length);
  const places = tf.tensor1d(positions, 'int32');
  const counted = tf.tensor2d(counts, [counts.length, 1]);
  const tokens = tf.tensor1d(ids, 'int32');
  let [x, ours] = [exact.embed(tokens), rounded.embed(tokens)];
  try {
    for (let layer = 0; layer < config.layers; layer++) {
      const inputFor = (model: LanguageModel) => ({
        config,
        layer,
        batch,
        length,
        shared: null,
        rotation: model.rotations.of(layer, places),
      });
      const slices = exact.blocks[layer];
      const roundedSlices = rounded.blocks[layer];
      if (!slices || !roundedSlices) throw new Error(`There is no layer ${layer}.`);
      const inputs = new Map<BlockMap, tf.Tensor>();
      const keep = (map: BlockMap, input: tf.Tensor): Promise<void> => {
        inputs.set(map, tf.clone(input));
        return Promise.resolve();
      };
      const { y, activations } = await blockForward(x, slices, inputFor(exact), null, breathe, keep);
      const behind = await blockForward(
        ours,
        roundedSlices,
        inputFor(rounded),
        null,
        breathe,
        async (map, input) => {
          const name = `model.layers.${layer}.${mapNames(config)[map]}.weight`;
          const exactInput = inputs.get(map);
          const isFitted = base.formats[name]?.every(({ format }) => format === 'q4_1') === true;
          if (!isFitted || !exactInput) return;
          const matrix = exactBase.matrix(name);
          const [rows, columns] = matrix.shape;
          const values = new Float32Array((await readFrozenRows(matrix, 0, rows)).buffer);
          const sums = await sumsOf(exactInput, input, counted);
          writeFrozenRows(base.matrix(name), 0, await fitToInputs(values, columns, sums, breathe));
        },
      );
      tf.dispose([x, ours, ...inputs.values()]);
      disposeActivations(activations);
      disposeActivations(behind.activations);
      [x, ours] = [y, behind.y];
    }
  } finally {
    tf.dispose([x, ours, places, counted, tokens]);
    rounded.dispose({ keepWeights: true });
    exact.dispose();
  }
}
