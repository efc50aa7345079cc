/** Log-probabilities on the wasm heap: products by `gemm`, softmax by `src/engine/simd/rowLogprobs.ts`, a chunk of rows at a time. */
import type { HostMemory } from '../../backend/host.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { type WasmBody, input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import { matrixView, type MatrixAttributes } from '../frozenMatrix/matrixView.ts';
import { multiply, multiplyBlocks } from '../gemm/wasm.ts';

export interface TokenLogprobsAttributes {
  /** The divisor of the logits before the softmax. */
  readonly temperature: number;
  readonly vocabSize: number;
  /** The head's weights [V, D]. */
  readonly head: MatrixAttributes;
  /** The first element of the second factor of the head's low-rank part; it has no meaning without one. */
  readonly lowRankOffset: number;
}

export interface TokenLogprobsGradientAttributes extends TokenLogprobsAttributes {
  /** The first element of the head's gradient; it has no meaning if the head is frozen. */
  readonly headGradientOffset: number;
  /** The first element of the low-rank part's gradient; it has no meaning without one. */
  readonly lowRankGradientOffset: number;
}

/** The number of logits that are held at a time: 16 MB in f32. */
const MAX_LOGITS = 4_194_304;
/** Parts of tensors begin at multiples of this many elements. */
const STEP = 64;

export interface RowChunk {
  readonly begin: number;
  readonly size: number;
}

/**
 * The rows in order, in chunks of a multiple of 64 except for the last; with a vocabulary above 65536 exactly 64. Chunks are the same on
 * any device and number of threads, and so is the order of summation.
 */
export function rowChunks(rows: number, vocabSize: number): RowChunk[] {
  const size = Math.max(1, Math.floor(MAX_LOGITS / vocabSize / STEP)) * STEP;
  return Array.from({ length: Math.ceil(rows / size) }, (_, i) => ({
    begin: i * size,
    size: Math.min(size, rows - i * size),
  }));
}

/** The fewest logits that are worth waking a thread for: some 5 µs. */
const LOGITS_PER_PART = 4096;
const PLAIN = { accumulate: false, bias: 0, residual: 0 } as const;
const ADDED = { ...PLAIN, accumulate: true } as const;

const grainOf = (vocabSize: number): number => Math.ceil(LOGITS_PER_PART / vocabSize);

/** Computes the logits of one chunk after another, in one place; `visit` finds them at the address `logits`. */
function forEachChunk(
  memory: HostMemory,
  { dispose }: CompositeContext,
  inputs: Inputs,
  { vocabSize, head, lowRankOffset }: TokenLogprobsAttributes,
  visit: (chunk: RowChunk, logits: number) => void,
): void {
  const hidden = input(inputs, 'hidden');
  const [rows = 0, width = 0] = hidden.shape;
  const chunks = rowChunks(rows, vocabSize);
  const held = memory.allocate([chunks[0]?.size ?? 0, vocabSize], 'float32');
  const weights = matrixView(inputs, 'head', head);
  const logits = memory.pointer(held);
  for (const chunk of chunks) {
    const shape = { m: chunk.size, n: vocabSize, k: width };
    const a = memory.pointer(hidden, chunk.begin * width);
    multiplyBlocks(memory, 'nt', shape, weights, { ...PLAIN, a, c: logits });
    const { u, b } = inputs;
    if (u && b) {
      const rank = u.shape[1] ?? 0;
      const operands = { a: memory.pointer(u, chunk.begin * rank), b: memory.pointer(b, lowRankOffset) };
      multiply(memory, 'nn', { ...shape, k: rank }, { ...ADDED, ...operands, c: logits });
    }
    visit(chunk, logits);
  }
  dispose(held);
}

/** Returns logprob [N] and entropy [N], and calls `visit` with each chunk's logits when they have been read. */
function valuesOfChunks(
  memory: HostMemory,
  context: CompositeContext,
  inputs: Inputs,
  attributes: TokenLogprobsAttributes,
  visit: (chunk: RowChunk, logits: number) => void = () => undefined,
): [TensorInfo, TensorInfo] {
  const { vocabSize, temperature } = attributes;
  const targets = input(inputs, 'targets');
  const logprob = memory.allocate([...targets.shape], 'float32');
  const entropy = memory.allocate([...targets.shape], 'float32');
  forEachChunk(memory, context, inputs, attributes, (chunk, logits) => {
    memory.parallel(
      'rowLogprobs',
      chunk.size,
      grainOf(vocabSize),
      logits,
      vocabSize,
      memory.pointer(targets, chunk.begin),
      temperature,
      memory.pointer(logprob, chunk.begin),
      memory.pointer(entropy, chunk.begin),
    );
    visit(chunk, logits);
  });
  return [logprob, entropy];
}

/** Turns the logits of a chunk into their gradients, in place. */
function gradientsOfRows(
  memory: HostMemory,
  inputs: Inputs,
  { vocabSize, temperature }: TokenLogprobsAttributes,
  { begin, size }: RowChunk,
  logits: number,
): void {
  memory.parallel(
    'rowLogprobsGradient',
    size,
    grainOf(vocabSize),
    logits,
    vocabSize,
    memory.pointer(input(inputs, 'targets'), begin),
    temperature,
    memory.pointer(input(inputs, 'dlogprob'), begin),
    memory.pointer(input(inputs, 'dentropy'), begin),
  );
}

/** Outputs logprob [N] and entropy [N]. */
export const tokenLogprobsOnWasm: WasmBody<TokenLogprobsAttributes> = (memory, inputs, attributes, context) =>
  valuesOfChunks(memory, context, inputs, attributes);

/** Outputs logprob [N], entropy [N] and slope [N, D]. */
export const tokenSlopesOnWasm: WasmBody<TokenLogprobsAttributes> = (memory, inputs, attributes, context) => {
  const { vocabSize } = attributes;
  const { shape } = input(inputs, 'hidden');
  const [, width = 0] = shape;
  const slope = memory.allocate([...shape], 'float32');
  const head = matrixView(inputs, 'head', attributes.head);
  const values = valuesOfChunks(memory, context, inputs, attributes, (chunk, logits) => {
    gradientsOfRows(memory, inputs, attributes, chunk, logits);
    const product = { m: chunk.size, n: width, k: vocabSize };
    const c = memory.pointer(slope, chunk.begin * width);
    multiplyBlocks(memory, 'nn', product, head, { ...PLAIN, a: logits, c });
  });
  return [...values, slope];
};

/** Outputs d hidden [N, D] and, with a low-rank part, d u [N, r]. */
export const tokenLogprobsGradientOnWasm: WasmBody<TokenLogprobsGradientAttributes> = (
  memory,
  inputs,
  attributes,
  context,
) => {
  const { vocabSize, headGradientOffset, lowRankOffset } = attributes;
  const hidden = input(inputs, 'hidden');
  const [, width = 0] = hidden.shape;
  const dhidden = memory.allocate([...hidden.shape], 'float32');
  const head = matrixView(inputs, 'head', attributes.head);
  const { headGradient, u, b, bGradient } = inputs;
  const rank = u?.shape[1] ?? 0;
  const du = u && memory.allocate([...u.shape], 'float32');
  forEachChunk(memory, context, inputs, attributes, (chunk, logits) => {
    const { begin, size } = chunk;
    gradientsOfRows(memory, inputs, attributes, chunk, logits);
    const rows = memory.pointer(hidden, begin * width);
    const drows = memory.pointer(dhidden, begin * width);
    const rowsShape = { m: size, n: width, k: vocabSize };
    multiplyBlocks(memory, 'nn', rowsShape, head, { ...PLAIN, a: logits, c: drows });
    if (headGradient) {
      const dhead = memory.pointer(headGradient, headGradientOffset);
      multiply(memory, 'tn', { m: vocabSize, n: width, k: size }, { ...ADDED, a: logits, b: rows, c: dhead });
    }
    if (du && b) {
      const factor = memory.pointer(b, lowRankOffset);
      const target = memory.pointer(du, begin * rank);
      multiply(
        memory,
        'nt',
        { m: size, n: rank, k: vocabSize },
        { ...PLAIN, a: logits, b: factor, c: target },
      );
    }
    if (u && bGradient) {
      const db = memory.pointer(bGradient, attributes.lowRankGradientOffset);
      const factor = memory.pointer(u, begin * rank);
      multiply(memory, 'tn', { m: rank, n: vocabSize, k: size }, { ...ADDED, a: factor, b: logits, c: db });
    }
  });
  return du ? [dhidden, du] : [dhidden];
};
