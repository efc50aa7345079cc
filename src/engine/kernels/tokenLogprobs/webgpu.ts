/** Log-probabilities on WebGPU: products by `gemm`, softmax by a group of invocations for each row, a chunk of rows at a time. */
import { f32, u32, type GpuDispatcher, type TensorPart } from '../../backend/dispatch.ts';
import { type WebGpuBody, input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { matrixView } from '../frozenMatrix/matrixView.ts';
import { multiply, multiplyBlocks } from '../gemm/webgpu.ts';
import { lanesFor, launchGroups, type Launch } from '../shared/launch.ts';
import { pieceFunctions, widestPiece, type Piece } from '../shared/vectors.ts';
import {
  type TokenLogprobsAttributes,
  type TokenLogprobsGradientAttributes,
  rowChunks,
  type RowChunk,
} from './wasm.ts';

/** WGSL of a row's moments. With z = logits / T − max: `logSum` = log Σ exp(z) and `entropy` = logSum − Σ p·z. A row is `params.pieces` long. */
const softmaxMoments = (type: string): string => /* wgsl */ `
  let base = item * params.pieces;
  var most = logits[base];
  for (var i = lane; i < params.pieces; i += LANES) { most = max(most, logits[base + i]); }
  let peak = maxOverLanes(largest(most), lane);
  var weights = ${type}();
  var weighted = ${type}();
  for (var i = lane; i < params.pieces; i += LANES) {
    let z = (logits[base + i] - peak) * params.sharpness;
    let weight = exp(z);
    weights += weight;
    weighted = fma(weight, z, weighted);
  }
  let sum = sumOverLanes(total(weights), lane);
  let logSum = log(sum);
  let entropy = logSum - sumOverLanes(total(weighted), lane) / sum;`;

/** Rows of a matrix or vector. */
function rowsOf(tensor: TensorInfo, { begin, size }: RowChunk): TensorPart {
  const [, width = 1] = tensor.shape;
  return { tensor, offset: begin * width, length: size * width };
}

const whole = (tensor: TensorInfo): TensorPart => rowsOf(tensor, { begin: 0, size: tensor.shape[0] ?? 0 });

/** Computes the logits of one chunk after another, and frees them after `visit`. */
function forEachChunk(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { vocabSize, head, lowRankOffset }: TokenLogprobsAttributes,
  { dispose }: CompositeContext,
  visit: (chunk: RowChunk, logits: TensorInfo) => void,
): void {
  const hidden = input(inputs, 'hidden');
  const [rows = 0, width = 0] = hidden.shape;
  const weights = matrixView(inputs, 'head', head);
  const { u, b } = inputs;
  for (const chunk of rowChunks(rows, vocabSize)) {
    const logits = gpu.allocate([chunk.size, vocabSize], 'float32');
    const product = { layout: 'nt', m: chunk.size, n: vocabSize, k: width } as const;
    multiplyBlocks(gpu, product, weights, { a: rowsOf(hidden, chunk), c: whole(logits) });
    if (u && b) {
      const rank = u.shape[1] ?? 0;
      const factor = { tensor: b, offset: lowRankOffset, length: rank * vocabSize };
      const operands = { a: rowsOf(u, chunk), b: factor, c: logits, target: 'add' } as const;
      multiply(gpu, { ...product, layout: 'nn', k: rank }, operands);
    }
    visit(chunk, logits);
    dispose(logits);
  }
}

/** Runs `body` for each row of a chunk's logits, after its moments. */
function launchRows(
  gpu: GpuDispatcher,
  { vocabSize, temperature }: TokenLogprobsAttributes,
  launch: Pick<Launch, 'key' | 'items' | 'reads' | 'writes'>,
  body: (piece: Piece) => string,
): void {
  const piece = widestPiece(vocabSize);
  launchGroups(
    gpu,
    {
      ...launch,
      key: `${launch.key}-${piece.type}`,
      uniforms: { pieces: u32(vocabSize / piece.size), sharpness: f32(1 / temperature) },
      declarations: () => pieceFunctions(piece),
      body: () => `${softmaxMoments(piece.type)}${body(piece)}`,
    },
    lanesFor(gpu, vocabSize),
  );
}

/** Returns logprob [N] and entropy [N], and calls `visit` with each chunk's logits behind the kernel that reads them. */
function valuesOfChunks(
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: TokenLogprobsAttributes,
  context: CompositeContext,
  visit: (chunk: RowChunk, logits: TensorInfo) => void = () => undefined,
): [TensorInfo, TensorInfo] {
  const targets = input(inputs, 'targets');
  const logprobs = gpu.allocate([...targets.shape], 'float32');
  const entropies = gpu.allocate([...targets.shape], 'float32');
  const { type } = widestPiece(attributes.vocabSize);
  forEachChunk(gpu, inputs, attributes, context, (chunk, logits) => {
    const launch = {
      key: 'row-logprobs',
      items: chunk.size,
      reads: { [`logits: ${type}`]: logits, 'targets: i32': rowsOf(targets, chunk) },
      writes: { 'logprobs: f32': rowsOf(logprobs, chunk), 'entropies: f32': rowsOf(entropies, chunk) },
    };
    launchRows(
      gpu,
      attributes,
      launch,
      ({ size }) => /* wgsl */ `
  if (lane == 0u) {
    let hit = u32(targets[item]);
    let logit = element(logits[base + hit / ${size}u], hit % ${size}u);
    logprobs[item] = (logit - peak) * params.sharpness - logSum;
    entropies[item] = entropy;
  }`,
    );
    visit(chunk, logits);
  });
  return [logprobs, entropies];
}

/** Outputs logprob [N] and entropy [N]. */
export const tokenLogprobsOnWebGpu: WebGpuBody<TokenLogprobsAttributes> = (
  gpu,
  inputs,
  attributes,
  context,
) => valuesOfChunks(gpu, inputs, attributes, context);

/** Outputs logprob [N], entropy [N] and slope [N, D]. */
export const tokenSlopesOnWebGpu: WebGpuBody<TokenLogprobsAttributes> = (
  gpu,
  inputs,
  attributes,
  context,
) => {
  const { vocabSize } = attributes;
  const { shape } = input(inputs, 'hidden');
  const [, width = 0] = shape;
  const slope = gpu.allocate([...shape], 'float32');
  const head = matrixView(inputs, 'head', attributes.head);
  const values = valuesOfChunks(gpu, inputs, attributes, context, (chunk, logits) => {
    rowGradients(gpu, inputs, attributes, chunk, logits);
    const product = { layout: 'nn', m: chunk.size, n: width, k: vocabSize } as const;
    multiplyBlocks(gpu, product, head, { a: whole(logits), c: rowsOf(slope, chunk) });
  });
  return [...values, slope];
};

/** Outputs d hidden [N, D] and, with a low-rank part, d u [N, r]. */
export const tokenLogprobsGradientOnWebGpu: WebGpuBody<TokenLogprobsGradientAttributes> = (
  gpu,
  inputs,
  attributes,
  context,
) => {
  const { vocabSize, head, headGradientOffset, lowRankOffset, lowRankGradientOffset } = attributes;
  const hidden = input(inputs, 'hidden');
  const [, width = 0] = hidden.shape;
  const dhidden = gpu.allocate([...hidden.shape], 'float32');
  const weights = matrixView(inputs, 'head', head);
  const { headGradient, u, b, bGradient } = inputs;
  const rank = u?.shape[1] ?? 0;
  const du = u && gpu.allocate([...u.shape], 'float32');
  const factors = (tensor: TensorInfo, offset: number) => ({ tensor, offset, length: rank * vocabSize });
  forEachChunk(gpu, inputs, attributes, context, (chunk, logits) => {
    rowGradients(gpu, inputs, attributes, chunk, logits);
    const product = { layout: 'nn', m: chunk.size, n: width, k: vocabSize } as const;
    multiplyBlocks(gpu, product, weights, { a: whole(logits), c: rowsOf(dhidden, chunk) });
    if (headGradient) {
      const dhead = { tensor: headGradient, offset: headGradientOffset, length: vocabSize * width };
      const operands = { a: logits, b: rowsOf(hidden, chunk), c: dhead, target: 'add' } as const;
      multiply(gpu, { layout: 'tn', m: vocabSize, n: width, k: chunk.size }, operands);
    }
    if (du && b) {
      const operands = { a: logits, b: factors(b, lowRankOffset), c: rowsOf(du, chunk) };
      multiply(gpu, { layout: 'nt', m: chunk.size, n: rank, k: vocabSize }, operands);
    }
    if (u && bGradient) {
      const c = factors(bGradient, lowRankGradientOffset);
      const operands = { a: rowsOf(u, chunk), b: logits, c, target: 'add' } as const;
      multiply(gpu, { layout: 'tn', m: rank, n: vocabSize, k: chunk.size }, operands);
    }
  });
  return du ? [dhidden, du] : [dhidden];
};

/** Turns the logits of a chunk into their gradients, in place; the factor 1/T of the chain rule is included. */
function rowGradients(
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: TokenLogprobsAttributes,
  chunk: RowChunk,
  logits: TensorInfo,
): void {
  const { type } = widestPiece(attributes.vocabSize);
  const launch = {
    key: 'row-logprobs-gradient',
    items: chunk.size,
    reads: {
      'targets: i32': rowsOf(input(inputs, 'targets'), chunk),
      'dlogprobs: f32': rowsOf(input(inputs, 'dlogprob'), chunk),
      'dentropies: f32': rowsOf(input(inputs, 'dentropy'), chunk),
    },
    writes: { [`logits: ${type}`]: logits },
  };
  launchRows(
    gpu,
    attributes,
    launch,
    ({ size }) => /* wgsl */ `
  let dlogprob = dlogprobs[item] * params.sharpness;
  let dentropy = dentropies[item] * params.sharpness;
  let hit = ${size === 1 ? 'u32' : `vec${size}u`}(u32(targets[item]));
  for (var i = lane; i < params.pieces; i += LANES) {
    let logp = (logits[base + i] - peak) * params.sharpness - logSum;
    let p = exp(logp);
    let isHit = select(${type}(), ${type}(1.0), numbers(i) == hit);
    logits[base + i] = dlogprob * (isHit - p) - dentropy * p * (logp + entropy);
  }`,
  );
}
