/**
 * The same inputs for every participant, from counted randomness: those of products and ops, of the training step with its settings, and
 * of rollouts, with the host-side sampler of peers that have none.
 */
import {
  uniformAt,
  LAYER_TARGETS,
  adapterLength,
  adapterSpecs,
  type AdapterSpec,
  type LoraSettings,
  type ModelConfig,
} from '@rl-playground/engine/parts';
import type {
  GemmWorkload,
  OpName,
  OpSizes,
  OpWorkload,
  PassWorkload,
  TrainWorkload,
  RolloutWorkload,
} from '../types.ts';

/** `count` numbers uniform in (−1, 1), decided by `seed`. */
export function randomFloats(seed: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => 2 * uniformAt(seed, 0, 0, 0, i) - 1);
}

/** `count` whole numbers in [from, to), decided by `seed`. */
export function randomIntegers(seed: number, count: number, from: number, to: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) =>
    Math.min(to - 1, from + Math.floor(uniformAt(seed, 1, 0, 0, i) * (to - from))),
  );
}

/** Values to compare of a large result: at most `most`, spread evenly over it. */
export function thinned(values: Float32Array, most = 4096): Float32Array {
  const stride = Math.max(1, Math.floor(values.length / most));
  return values.filter((_, i) => i % stride === 0);
}

interface Matrix {
  readonly shape: [number, number];
  readonly data: Float32Array;
}

/** The two factors of a product, each in the shape that its layout stores. */
export function gemmInputs({ layout, m, n, k }: GemmWorkload): { a: Matrix; b: Matrix } {
  return {
    a: { shape: layout === 'tn' ? [k, m] : [m, k], data: randomFloats(1, m * k) },
    b: { shape: layout === 'nt' ? [n, k] : [k, n], data: randomFloats(2, k * n) },
  };
}

/** The number added to the mean square in RMSNorm. */
export const NORM_EPSILON = 1e-5;

/** The inputs of an op by name, all f32; `targets` holds whole numbers. */
export function opInputs({
  op,
  sizes,
}: OpWorkload): Map<string, { readonly shape: readonly number[]; readonly data: Float32Array }> {
  const { batch, length, heads, kvHeads, headDim, hidden, mlp, vocabulary, parameters } = sizes;
  const rows = batch * length;
  const qkv = [rows, (heads + 2 * kvHeads) * headDim];
  const shapes: Record<OpName, Readonly<Record<string, readonly number[]>>> = {
    attention: { qkv },
    attentionGradient: { qkv, dy: [rows, heads * headDim] },
    rmsNorm: { x: [rows, hidden], gamma: [hidden] },
    swiglu: { gateUp: [rows, 2 * mlp] },
    tokenLogprobs: { x: [rows, hidden], head: [vocabulary, hidden], targets: [rows] },
    adamw: { parameter: [parameters], gradient: [parameters], m: [parameters], v: [parameters] },
  };
  return new Map(
    Object.entries(shapes[op]).map(([name, shape], i) => {
      const count = shape.reduce((product, extent) => product * extent, 1);
      return [name, { shape, data: valuesOf(name, i, count, sizes) }];
    }),
  );
}

function valuesOf(name: string, seed: number, count: number, { vocabulary }: OpSizes): Float32Array {
  if (name === 'targets') return Float32Array.from(randomIntegers(seed, count, 0, vocabulary));
  const values = randomFloats(seed, count);
  // Adam's second moment is never negative.
  return name === 'v' && seed === 3 ? values.map(Math.abs) : values;
}

/** The settings of training: REINFORCE on fixed advantages, with one update of AdamW after a clip of the global norm. */
export const TRAINING = {
  learningRate: 1e-3,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.01,
  clipNorm: 1,
} as const;

export interface TrainingData {
  readonly rollouts: number;
  /** The number of positions of each sequence, which has one token more. */
  readonly length: number;
  readonly promptLength: number;
  /** The tokens [rollouts, length + 1]. */
  readonly tokens: Int32Array;
  /** The advantages, one for each sequence. */
  readonly advantages: Float32Array;
}

export function trainingData(
  { rollouts, length, groups }: Pick<TrainWorkload, 'rollouts' | 'length' | 'groups'>,
  { vocabSize }: Pick<ModelConfig, 'vocabSize'>,
): TrainingData {
  const { promptLength, answers } = groups ?? { promptLength: Math.max(1, length >> 1), answers: 1 };
  const tokens = randomIntegers(11, rollouts * (length + 1), 0, vocabSize);
  for (let row = 0; row < rollouts; row++) {
    const first = (row - (row % answers)) * (length + 1);
    tokens.copyWithin(row * (length + 1), first, first + promptLength);
  }
  return {
    rollouts,
    length,
    promptLength,
    tokens,
    advantages: randomFloats(12, rollouts),
  };
}

/** Inputs, targets and the weight of each target's log-probability, all [rollouts · length]. */
export function flatBatch({ rollouts, length, promptLength, tokens, advantages }: TrainingData): {
  inputs: Int32Array;
  targets: Int32Array;
  weights: Float32Array;
} {
  const size = rollouts * length;
  const inputs = new Int32Array(size);
  const targets = new Int32Array(size);
  const weights = new Float32Array(size);
  const completion = length + 1 - promptLength;
  for (let b = 0; b < rollouts; b++) {
    for (let t = 0; t < length; t++) {
      const at = b * length + t;
      const token = b * (length + 1) + t;
      inputs[at] = tokens[token] as number;
      targets[at] = tokens[token + 1] as number;
      if (t >= promptLength - 1) weights[at] = (advantages[b] as number) / (rollouts * completion);
    }
  }
  return { inputs, targets, weights };
}

/** One prompt for each group, of random tokens. */
export function promptsOf(
  { groups, promptLength }: Pick<RolloutWorkload, 'groups' | 'promptLength'>,
  { vocabSize }: ModelConfig,
): readonly (readonly number[])[] {
  return Array.from({ length: groups }, (_, group) =>
    Array.from(randomIntegers(100 + group, promptLength, 0, vocabSize)),
  );
}

/** The advantage of answer `index` of a pass: rewards 1 and 0 in turn, less their mean. */
export const advantageOf = (index: number): number => (index % 2 === 0 ? 0.5 : -0.5);

/** Answers to learn from before the first are sampled, one list for each of `samples`. */
export const firstAnswers = (
  { samples, newTokens }: Pick<PassWorkload, 'samples' | 'newTokens'>,
  { vocabSize }: ModelConfig,
): readonly (readonly number[])[] =>
  Array.from({ length: samples }, (_, sample) =>
    Array.from(randomIntegers(200 + sample, newTokens, 0, vocabSize)),
  );

/** A workload with LoRA. */
export interface AdapterRank {
  readonly rank: number;
}

/** LoRA on all maps of the blocks, α the rank, and its factors in the layout of `adapterSpecs`: A uniform in ±1/√in, B zero. */
export function firstAdapter(
  { rank }: AdapterRank,
  config: ModelConfig,
): {
  readonly settings: LoraSettings;
  readonly specs: readonly AdapterSpec[];
  readonly packed: Float32Array;
} {
  const settings = { rank, alpha: rank, targets: LAYER_TARGETS };
  const specs = adapterSpecs(config, settings);
  const packed = new Float32Array(adapterLength(config, settings));
  specs.forEach(({ a: { offset, shape } }, i) => {
    const values = randomFloats(300 + i, shape[0] * shape[1]);
    packed.set(
      values.map((value) => value / Math.sqrt(shape[0])),
      offset,
    );
  });
  return { settings, specs, packed };
}

/** The largest logit's token, or one drawn from the softmax of the row at `begin`. */
export function sampleRow(logits: Float32Array, begin: number, size: number, greedy: boolean): number {
  let best = 0;
  for (let i = 1; i < size; i++) {
    if ((logits[begin + i] as number) > (logits[begin + best] as number)) best = i;
  }
  if (greedy) return best;
  const largest = logits[begin + best] as number;
  let total = 0;
  for (let i = 0; i < size; i++) total += Math.exp((logits[begin + i] as number) - largest);
  let left = Math.random() * total;
  for (let i = 0; i < size; i++) {
    left -= Math.exp((logits[begin + i] as number) - largest);
    if (left <= 0) return i;
  }
  return size - 1;
}
