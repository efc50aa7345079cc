/** Log-probabilities on WebGPU: products by `gemm`, softmax by a group of invocations for each row, a chunk of rows at a time. */
import { f32, u32, type Binding, type GpuDispatcher } from '../../backend/dispatch.ts';
import { type WebGpuBody, input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { planOf } from '../gemm/plan.ts';
import type { GemmLayout, GemmShape } from '../gemm/shape.ts';
import { gemmDispatch } from '../gemm/webgpu.ts';
import { lanesFor, launchGroups, type Launch } from '../launch.ts';
import { pieceFunctions, widestPiece, type Piece } from '../vectors.ts';
import {
  type TokenLogprobsAttributes,
  type TokenLogprobsGradientAttributes,
  rowChunks,
  type RowChunk,
} from './wasm.ts';

/** With z = logits / T − max: `logSum` = log Σ exp(z) and `entropy` = logSum − Σ p·z. A row is `params.pieces` long. */
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

interface Product {
  readonly a: Binding;
  readonly b: Binding;
  readonly c: Binding;
}

function multiply(
  gpu: GpuDispatcher,
  layout: GemmLayout,
  shape: GemmShape,
  { a, b, c }: Product,
  into: boolean,
): void {
  const product = { ...shape, layout };
  gpu.dispatch(gemmDispatch(product, { a, b, c, into, half: false, start: 0 }, planOf(gpu, product)));
}

/** Rows of a matrix or vector. */
function rowsOf(tensor: TensorInfo, { begin, size }: RowChunk): Binding {
  const [, width = 1] = tensor.shape;
  return { tensor, offset: begin * width, length: size * width };
}

/** Computes the logits of one chunk after another, and frees them after `visit`. */
function forEachChunk(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { vocabSize, headOffset, lowRankOffset }: TokenLogprobsAttributes,
  { dispose }: CompositeContext,
  visit: (chunk: RowChunk, logits: TensorInfo, head: Binding) => void,
): void {
  const hidden = input(inputs, 'hidden');
  const [rows = 0, width = 0] = hidden.shape;
  const head = { tensor: input(inputs, 'head'), offset: headOffset, length: vocabSize * width };
  const { u, b } = inputs;
  for (const chunk of rowChunks(rows, vocabSize)) {
    const logits = gpu.allocate([chunk.size, vocabSize], 'float32');
    const shape = { m: chunk.size, n: vocabSize, k: width };
    multiply(gpu, 'nt', shape, { a: rowsOf(hidden, chunk), b: head, c: logits }, false);
    if (u && b) {
      const rank = u.shape[1] ?? 0;
      const factor = { tensor: b, offset: lowRankOffset, length: rank * vocabSize };
      multiply(gpu, 'nn', { ...shape, k: rank }, { a: rowsOf(u, chunk), b: factor, c: logits }, true);
    }
    visit(chunk, logits, head);
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

/** Outputs logprob [N] and entropy [N]. */
export const tokenLogprobsOnWebGpu: WebGpuBody<TokenLogprobsAttributes> = (
  gpu,
  inputs,
  attributes,
  context,
) => {
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
  });
  return [logprobs, entropies];
};

/** Outputs d hidden [N, D] and, with a low-rank part, d u [N, r]. */
export const tokenLogprobsGradientOnWebGpu: WebGpuBody<TokenLogprobsGradientAttributes> = (
  gpu,
  inputs,
  attributes,
  context,
) => {
  const { vocabSize, headGradientOffset, lowRankOffset, lowRankGradientOffset } = attributes;
  const hidden = input(inputs, 'hidden');
  const [, width = 0] = hidden.shape;
  const dhidden = gpu.allocate([...hidden.shape], 'float32');
  const { headGradient, u, b, bGradient } = inputs;
  const rank = u?.shape[1] ?? 0;
  const du = u && gpu.allocate([...u.shape], 'float32');
  const factors = (tensor: TensorInfo, offset: number) => ({ tensor, offset, length: rank * vocabSize });
  forEachChunk(gpu, inputs, attributes, context, (chunk, logits, head) => {
    rowGradients(gpu, inputs, attributes, chunk, logits);
    const rowsShape = { m: chunk.size, n: width, k: vocabSize };
    multiply(gpu, 'nn', rowsShape, { a: logits, b: head, c: rowsOf(dhidden, chunk) }, false);
    if (headGradient) {
      const dhead = { tensor: headGradient, offset: headGradientOffset, length: vocabSize * width };
      const shape = { m: vocabSize, n: width, k: chunk.size };
      multiply(gpu, 'tn', shape, { a: logits, b: rowsOf(hidden, chunk), c: dhead }, true);
    }
    if (du && b) {
      const operands = { a: logits, b: factors(b, lowRankOffset), c: rowsOf(du, chunk) };
      multiply(gpu, 'nt', { m: chunk.size, n: rank, k: vocabSize }, operands, false);
    }
    if (u && bGradient) {
      const operands = { a: rowsOf(u, chunk), b: logits, c: factors(bGradient, lowRankGradientOffset) };
      multiply(gpu, 'tn', { m: rank, n: vocabSize, k: chunk.size }, operands, true);
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
