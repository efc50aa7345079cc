/** The adapter of a model on the device: one pool, its matrices by the base model's parameters, and the conversions to and from files. */
import { breathe } from '../backend/eventLoop.ts';
import * as tf from '../backend/tf.ts';
import type { Slice } from '../kernels/shared/slice.ts';
import type { ModelConfig } from './config.ts';
import {
  adapterLength,
  adapterSpecs,
  loraScale,
  peftName,
  type AdapterMatrix,
  type AdapterSpec,
  type LoraSettings,
} from './lora.ts';
import {
  Pool,
  type ModelWeights,
  type NamedValues,
  type ParameterPool,
  type TensorData,
  type WeightArrays,
} from './weights.ts';

/** A pair of matrices, A [in, r] and B [r, out]. Their product belongs to `out` columns of a base matrix, from `column` on. */
export interface LowRankPair {
  readonly a: Slice;
  readonly b: Slice;
  readonly column: number;
}

function checkLength(config: ModelConfig, settings: LoraSettings, pool: Float32Array): void {
  const needed = adapterLength(config, settings);
  if (pool.length === needed) return;
  throw new Error(
    `A packed adapter holds ${pool.length} numbers; this model and these settings need ${needed}.`,
  );
}

/** Pairs of matrices in one tensor in the layout of `adapterSpecs`: an adapter, or the sums of its gradients, to which ops add. */
export class AdapterPool extends Pool {
  readonly config: ModelConfig;
  readonly settings: LoraSettings;
  readonly specs: readonly AdapterSpec[];

  /** Copies `values`, which may be shared memory; null makes zeros. @throws Error for another length, and as `adapterSpecs` does. */
  constructor(config: ModelConfig, settings: LoraSettings, values: Float32Array | null) {
    if (values) checkLength(config, settings, values);
    super(values, adapterLength(config, settings));
    this.config = config;
    this.settings = settings;
    this.specs = adapterSpecs(config, settings);
  }

  /** The pairs that adapt a parameter of the base model, by our name of it; none if it is no target. */
  pairsOf(parameter: string): LowRankPair[] {
    const slice = ({ offset, shape }: AdapterMatrix): Slice => ({ tensor: this.tensor, offset, shape });
    return this.specs
      .filter((spec) => spec.parameter === parameter)
      .map(({ a, b, column }) => ({ a: slice(a), b: slice(b), column }));
  }

  /** The factors with the names, shapes and layout of a PEFT file. */
  async toPeft(): Promise<WeightArrays> {
    return unpackPeftInPlace(this.config, this.settings, await this.pack());
  }
}

/** Draws a uniform A in ±1/√in, in PEFT's order of its [r, in] layout. */
function drawFactor(pool: Float32Array, { offset, shape }: AdapterMatrix, draw: () => number): void {
  const [inputs, rank] = shape;
  const bound = 1 / Math.sqrt(inputs);
  for (let k = 0; k < rank; k++) {
    for (let i = 0; i < inputs; i++) pool[offset + i * rank + k] = bound * (2 * draw() - 1);
  }
}

/**
 * Packed factors as PEFT begins with them: A is uniform in ±1/√in (He et al. 2015 with a = √5) and B is zero, so that the model equals
 * the base model at first. `draw` yields uniform numbers in [0, 1), in PEFT's order of tensors and of A's [r, in] layout: there may be
 * millions of them.
 */
export async function initialFactors(
  config: ModelConfig,
  settings: LoraSettings,
  draw: () => number,
): Promise<Float32Array> {
  const pool = new Float32Array(adapterLength(config, settings));
  for (const { a } of adapterSpecs(config, settings)) {
    drawFactor(pool, a, draw);
    await breathe();
  }
  return pool;
}

/** The low-rank part of a model's weights, trained while those are frozen. */
export class Adapter extends AdapterPool {
  /** The value of `loraScale`, as a scalar on the device; null for 1, which changes nothing. */
  readonly scale: tf.Scalar | null;

  /** Makes an adapter from the result of `pack`. @throws Error for another length. */
  constructor(config: ModelConfig, settings: LoraSettings, values: Float32Array) {
    super(config, settings, values);
    const scale = loraScale(settings);
    this.scale = scale === 1 ? null : tf.keep(tf.scalar(scale));
  }

  /** Replaces the factors. @throws Error for another length. */
  setPacked(packed: Float32Array): void {
    checkLength(this.config, this.settings, packed);
    this.set(packed);
  }

  /** Makes an adapter from PEFT's names and layout. @throws Error for a missing name; the reader must have checked the shapes. */
  static fromPeft(config: ModelConfig, settings: LoraSettings, arrays: NamedValues): Adapter {
    return new Adapter(config, settings, packPeft(config, settings, arrays));
  }

  /** The floats that weight decay acts on: all, because an adapter is made of matrices. */
  get decayedLength(): number {
    return adapterLength(this.config, this.settings);
  }

  newGradients(): AdapterPool {
    return new AdapterPool(this.config, this.settings, null);
  }

  packNamed(arrays: NamedValues): Float32Array {
    return packPeft(this.config, this.settings, arrays);
  }

  unpackNamed(pool: Float32Array): WeightArrays {
    return unpackPeft(this.config, this.settings, pool);
  }

  /** Unpacks a pool as `unpackNamed` does, if nobody needs the pool any more: the arrays may use its memory. */
  takeNamed(pool: Float32Array): Promise<WeightArrays> {
    return unpackPeftInPlace(this.config, this.settings, pool);
  }

  override dispose(): void {
    super.dispose();
    this.scale?.dispose();
  }
}

/** The part of a model that an optimizer updates: all weights, or the adapter of a model whose weights are frozen. */
export type Trainable = ModelWeights | Adapter;

/** The sums to which a backward pass adds the gradients of the trained part. */
export type TrainedGradients = ParameterPool | AdapterPool;

type NamedMatrix = readonly [name: string, matrix: AdapterMatrix];

function namedMatrices(config: ModelConfig, settings: LoraSettings): NamedMatrix[] {
  return adapterSpecs(config, settings).flatMap(({ module, a, b }): NamedMatrix[] => [
    [peftName(module, 'A'), a],
    [peftName(module, 'B'), b],
  ]);
}

/** Rows and columns that are transposed at a time: a tile stays in a processor's first cache. */
const TILE = 32;

/** Writes the transpose of a matrix [rows, columns], in a loop over indices alone because a model has millions of numbers. */
function transpose(
  from: Float32Array,
  to: Float32Array,
  [rows, columns]: readonly [rows: number, columns: number],
): void {
  for (let row0 = 0; row0 < rows; row0 += TILE) {
    const rowEnd = Math.min(row0 + TILE, rows);
    for (let column0 = 0; column0 < columns; column0 += TILE) {
      const columnEnd = Math.min(column0 + TILE, columns);
      for (let row = row0; row < rowEnd; row++)
        for (let column = column0; column < columnEnd; column++)
          to[column * rows + row] = from[row * columns + column] as number;
    }
  }
}

/** Packs PEFT's tensors. @throws Error for a missing name; the reader must have checked the shapes. */
export function packPeft(
  config: ModelConfig,
  settings: LoraSettings,
  arrays: NamedValues,
): Float32Array<ArrayBuffer> {
  const pool = new Float32Array(adapterLength(config, settings));
  for (const [name, matrix] of namedMatrices(config, settings)) {
    const array = arrays.get(name);
    if (!array) throw new Error(`The adapter lacks ${name}.`);
    const { offset, shape } = matrix;
    const [rows, columns] = shape;
    transpose(array.data, pool.subarray(offset, offset + rows * columns), [columns, rows]);
  }
  return pool;
}

/** The numbers that are transposed between two turns of the event loop: some 10 ms of work. */
const TURN_NUMBERS = 2 ** 20;

/** Unpacks as `unpackPeft` does, in the memory of the pool, which the arrays then use. At most one matrix is copied at a time. */
async function unpackPeftInPlace(
  config: ModelConfig,
  settings: LoraSettings,
  pool: Float32Array,
): Promise<WeightArrays> {
  checkLength(config, settings, pool);
  const matrices = namedMatrices(config, settings);
  const before = new Float32Array(Math.max(...matrices.map(([, { shape }]) => shape[0] * shape[1])));
  const arrays = new Map<string, TensorData>();
  let turned = 0;
  for (const [name, { offset, shape }] of matrices) {
    const [rows, columns] = shape;
    const data = pool.subarray(offset, offset + rows * columns);
    before.set(data);
    transpose(before, data, [rows, columns]);
    arrays.set(name, { shape: [columns, rows], data });
    turned += data.length;
    if (turned < TURN_NUMBERS) continue;
    await breathe();
    turned = 0;
  }
  return arrays;
}

/** Unpacks a pool to the names, shapes, layout and order of a PEFT file. @throws Error for another length. */
export function unpackPeft(config: ModelConfig, settings: LoraSettings, pool: Float32Array): WeightArrays {
  checkLength(config, settings, pool);
  return new Map(
    namedMatrices(config, settings).map(([name, matrix]) => {
      const [rows, columns] = matrix.shape;
      const data = new Float32Array(rows * columns);
      transpose(pool.subarray(matrix.offset, matrix.offset + data.length), data, [rows, columns]);
      return [name, { shape: [columns, rows], data }];
    }),
  );
}
