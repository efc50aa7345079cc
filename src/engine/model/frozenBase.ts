/**
 * The weights of a model that are never trained, as an adapter's base. Each linear map is kept in the words of the model's files, or
 * quantized, as Hugging Face's [out, in]; maps of one input are one matrix. Norms and biases are f32. The weights come from files, or
 * from the device of another thread, piece by piece, and are kept on the device alone.
 */
import { openSharedHeap, type HeapRoom } from '../backend/sharedHeap.ts';
import * as tf from '../backend/tf.ts';
import type { BaseFormat } from './baseFormats.ts';
import type { FrozenMatrix } from '../kernels/frozenMatrix/frozenMatrix.ts';
import {
  allocateFrozenMatrix,
  blockPlaces,
  type BlockPlace,
  disposeFrozenMatrix,
  formatOfRow,
  frozenMatrixElsewhere,
  readFrozenRows,
  writeFrozenRows,
} from '../kernels/frozenMatrix/storage.ts';
import { readBytes, writeBytes } from '../kernels/shared/tensorBytes.ts';
import type { Slice } from '../kernels/shared/slice.ts';
import type { ModelConfig } from './config.ts';
import { baseInFiles, type BasePiece, type BaseSource, type FrozenFormats } from './baseSource.ts';
import { huggingFaceSpecs, matrixShape, parameterSpecs, sizeOf } from './parameters.ts';
import { formatsOf, isMatrix, pieceRows, valuesOf, vectorLayout } from './frozenWords.ts';
import { storedBytes, type StoredWeights } from './storedWeights.ts';
import { requiredTensor, type TensorData } from './weights.ts';
import { EMBEDDING, HEAD } from './weightNames.ts';

/** A base on the wasm heap of a thread that shares its memory. */
export interface SharedBase {
  readonly room: HeapRoom;
  /** Norms and biases, f32. */
  readonly vectors: Uint8Array<ArrayBuffer>;
  /** The places of each matrix's blocks, by our names. */
  readonly matrices: Readonly<Record<string, readonly BlockPlace[]>>;
}

/** The pool of norms and biases, zeros at first, and their places in it. */
function emptyVectors(config: ModelConfig): { pool: tf.Tensor; slices: Map<string, Slice> } {
  const { places, first, length } = vectorLayout(config);
  const pool = tf.keep(tf.fill([length], 0));
  const slices = new Map(
    places.map(({ name, offset, shape }) => [name, { tensor: pool, offset: offset - first, shape }]),
  );
  return { pool, slices };
}

export class FrozenBase implements BaseSource {
  readonly config: ModelConfig;
  readonly formats: FrozenFormats;
  readonly #matrices: ReadonlyMap<string, FrozenMatrix>;
  readonly #vectors: ReadonlyMap<string, Slice>;
  readonly #pool: tf.Tensor;

  private constructor(
    config: ModelConfig,
    formats: FrozenFormats,
    pool: tf.Tensor,
    vectors: ReadonlyMap<string, Slice>,
    matrices: ReadonlyMap<string, FrozenMatrix>,
  ) {
    this.config = config;
    this.formats = formats;
    this.#pool = pool;
    this.#vectors = vectors;
    this.#matrices = matrices;
  }

  /** Reserves room for a base on the running backend; all of its pieces must follow (`write`). @throws Error if the device has too little room. */
  static empty(config: ModelConfig, formats: FrozenFormats): FrozenBase {
    const { pool, slices } = emptyVectors(config);
    const matrices = new Map<string, FrozenMatrix>();
    const base = new FrozenBase(config, formats, pool, slices, matrices);
    try {
      for (const spec of parameterSpecs(config).filter(isMatrix))
        matrices.set(spec.name, allocateFrozenMatrix(matrixShape(spec), formats[spec.name] ?? []));
      return base;
    } catch (error) {
      base.dispose();
      throw error;
    }
  }

  /** A base whose matrices lie on another thread's heap, which keeps them until this thread has ended. Its vectors are copied. */
  static async elsewhere(config: ModelConfig, { room, vectors, matrices: places }: SharedBase) {
    const heap = await openSharedHeap(room);
    const { pool, slices } = emptyVectors(config);
    writeBytes(pool, 0, vectors);
    const matrices = new Map<string, FrozenMatrix>();
    for (const spec of parameterSpecs(config).filter(isMatrix))
      matrices.set(spec.name, frozenMatrixElsewhere(matrixShape(spec), places[spec.name] ?? [], heap));
    return new FrozenBase(config, places, pool, slices, matrices);
  }

  /** Describes the base to another thread, which computes with it where it lies, through a room on this thread's heap. */
  async shared(room: HeapRoom): Promise<SharedBase> {
    const vectors = new Uint8Array(4 * this.#pool.size);
    await readBytes(this.#pool, 0, vectors);
    const matrices = [...this.#matrices].map(([name, matrix]) => [name, blockPlaces(matrix)] as const);
    return { room, vectors, matrices: Object.fromEntries(matrices) };
  }

  /** A base with the same vectors and matrices, some of them replaced. It owns nothing and need not be disposed of. */
  over(config: ModelConfig, matrices: ReadonlyMap<string, FrozenMatrix>): FrozenBase {
    const formats = Object.fromEntries(
      [...matrices].map(([name, { blocks }]) => [name, blocks.map(({ rows, format }) => ({ rows, format }))]),
    );
    return new FrozenBase(
      config,
      { ...this.formats, ...formats },
      this.#pool,
      this.#vectors,
      new Map([...this.#matrices, ...matrices]),
    );
  }

  /**
   * Loads a base from a model's files, with at most one piece in memory at a time. `onPiece` is awaited after each, with the bytes read
   * so far and in all.
   *
   * @throws Error if the device has no room, or if the format can't hold a number.
   */
  static async load(
    config: ModelConfig,
    weights: StoredWeights,
    baseFormat: BaseFormat,
    onPiece: (done: number, total: number) => Promise<void> | void = () => undefined,
  ): Promise<FrozenBase> {
    const formats = formatsOf(config, weights, baseFormat);
    const total = [...weights.values()].reduce((sum, tensor) => sum + storedBytes(tensor), 0);
    let done = 0;
    const onRows = (bytes: number): Promise<void> | void => onPiece((done += bytes), total);
    return FrozenBase.copied(config, formats, baseInFiles(config, weights, formats, onRows));
  }

  /** Copies a base from elsewhere to the running backend. @throws Error if the device has too little room. */
  static async copied(config: ModelConfig, formats: FrozenFormats, source: BaseSource): Promise<FrozenBase> {
    const base = FrozenBase.empty(config, formats);
    try {
      for await (const piece of source.pieces()) base.write(piece);
      return base;
    } catch (error) {
      base.dispose();
      throw error;
    }
  }

  has(name: string): boolean {
    return this.#vectors.has(name) || this.#matrices.has(name);
  }

  /** A norm or a bias. @throws Error if the model has no such vector. */
  get(name: string): Slice {
    const slice = this.#vectors.get(name);
    if (!slice) throw new Error(`The model has no vector ${name}.`);
    return slice;
  }

  /** A matrix [out, in]. @throws Error if the model has no such matrix. */
  matrix(name: string): FrozenMatrix {
    const matrix = this.#matrices.get(name);
    if (!matrix) throw new Error(`The model has no matrix ${name}.`);
    return matrix;
  }

  /** The head's matrix [V, D], which is the embedding if the two are tied. */
  get head(): FrozenMatrix {
    return this.matrix(this.config.tiedHead ? EMBEDDING : HEAD);
  }

  /** Writes a piece of a base of the same model and formats. */
  write({ name, firstRow, words }: BasePiece): void {
    if (name === null) writeBytes(this.#pool, 0, words);
    else writeFrozenRows(this.matrix(name), firstRow, words);
  }

  /** Yields the whole base, read from the device a piece at a time: for generators, and for files. */
  async *pieces(): AsyncGenerator<BasePiece> {
    const vectors = new Uint8Array(4 * this.#pool.size);
    await readBytes(this.#pool, 0, vectors);
    yield { name: null, firstRow: 0, words: vectors };
    for (const [name, matrix] of this.#matrices) {
      for (const { firstRow, rows } of pieceRows(matrix.shape, this.formats[name] ?? []))
        yield { name, firstRow, words: await readFrozenRows(matrix, firstRow, rows) };
    }
  }

  /** The tensors that the base computes with, by the names, shapes and layout of a Hugging Face file, as f32, all in memory. */
  async toHuggingFace(): Promise<Map<string, TensorData>> {
    const specs = parameterSpecs(this.config);
    const values = new Map(specs.map(({ name, shape }) => [name, new Float32Array(sizeOf(shape))] as const));
    for await (const { name, firstRow, words } of this.pieces()) {
      if (name === null) {
        const vectors = new Float32Array(words.buffer);
        for (const [vector, { offset, shape }] of this.#vectors)
          values.get(vector)?.set(vectors.subarray(offset, offset + sizeOf(shape)));
      } else {
        const matrix = this.matrix(name);
        const numbers = valuesOf(formatOfRow(matrix, firstRow), words);
        values.get(name)?.set(numbers, firstRow * matrix.shape[1]);
      }
    }
    const arrays = new Map<string, TensorData>();
    for (const { name, parts } of specs) {
      const whole = values.get(name) ?? new Float32Array();
      // Each of our matrices and vectors is made of the file's tensors, one after the other.
      for (const part of parts) {
        const first = part.column * (part.shape[1] ?? 1);
        arrays.set(part.name, { shape: part.shape, data: whole.slice(first, first + sizeOf(part.shape)) });
      }
    }
    return new Map(huggingFaceSpecs(this.config).map(({ name }) => [name, requiredTensor(arrays, name)]));
  }

  dispose(): void {
    this.#pool.dispose();
    for (const matrix of this.#matrices.values()) disposeFrozenMatrix(matrix);
  }
}
