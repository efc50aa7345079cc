/** Log-probabilities on WebGPU: products by `gemm`, softmax by a group of invocations for each row, a chunk of rows at a time. */
import { f32, u32, type Binding, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { planOf } from '../gemm/plans.ts';
import type { GemmLayout, GemmShape } from '../gemm/shape.ts';
import { gemmDispatch } from '../gemm/webgpu.ts';
import { lanesFor, launchGroups } from '../launch.ts';
import type { TokenLogprobsAttributes, TokenLogprobsGradientAttributes } from './attributes.ts';
import { rowChunks, type RowChunk } from './chunks.ts';

/** With z = logits / T − max: `logSum` = log Σ exp(z) and `entropy` = logSum − Σ p·z. */
const SOFTMAX_MOMENTS = /* wgsl */ `
  let base = item * params.vocab;
  var highest = logits[base];
  for (var i = lane; i < params.vocab; i += LANES) { highest = max(highest, logits[base + i]); }
  let peak = maxOverLanes(highest, lane);
  var weights = 0.0;
  var weighted = 0.0;
  for (var i = lane; i < params.vocab; i += LANES) {
    let z = (logits[base + i] - peak) / params.temperature;
    let weight = exp(z);
    weights += weight;
    weighted += weight * z;
  }
  let total = sumOverLanes(weights, lane);
  let logSum = log(total);
  let entropy = logSum - sumOverLanes(weighted, lane) / total;`;

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
  { vocabSize, headOffset }: TokenLogprobsAttributes,
  { dispose }: CompositeContext,
  visit: (chunk: RowChunk, logits: TensorInfo, head: Binding) => void,
): void {
  const hidden = input(inputs, 'hidden');
  const [rows = 0, width = 0] = hidden.shape;
  const head = { tensor: input(inputs, 'head'), offset: headOffset, length: vocabSize * width };
  for (const chunk of rowChunks(rows, vocabSize)) {
    const logits = gpu.allocate([chunk.size, vocabSize], 'float32');
    const shape = { m: chunk.size, n: vocabSize, k: width };
    multiply(gpu, 'nt', shape, { a: rowsOf(hidden, chunk), b: head, c: logits }, false);
    visit(chunk, logits, head);
    dispose(logits);
  }
}

/** Outputs logprob [N] and entropy [N]. */
export function tokenLogprobsOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: TokenLogprobsAttributes,
  context: CompositeContext,
): TensorInfo[] {
  const { vocabSize, temperature } = attributes;
  const targets = input(inputs, 'targets');
  const logprobs = gpu.allocate([...targets.shape], 'float32');
  const entropies = gpu.allocate([...targets.shape], 'float32');
  forEachChunk(gpu, inputs, attributes, context, (chunk, logits) => {
    launchGroups(
      gpu,
      {
        key: 'row-logprobs',
        items: chunk.size,
        reads: { 'logits: f32': logits, 'targets: i32': rowsOf(targets, chunk) },
        writes: { 'logprobs: f32': rowsOf(logprobs, chunk), 'entropies: f32': rowsOf(entropies, chunk) },
        uniforms: { vocab: u32(vocabSize), temperature: f32(temperature) },
        body: () => /* wgsl */ `${SOFTMAX_MOMENTS}
  if (lane == 0u) {
    logprobs[item] = (logits[base + u32(targets[item])] - peak) / params.temperature - logSum;
    entropies[item] = entropy;
  }`,
      },
      lanesFor(vocabSize),
    );
  });
  return [logprobs, entropies];
}

/** Output d hidden [N, D]. */
export function tokenLogprobsGradientOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: TokenLogprobsGradientAttributes,
  context: CompositeContext,
): TensorInfo[] {
  const { vocabSize, headGradientOffset } = attributes;
  const hidden = input(inputs, 'hidden');
  const [, width = 0] = hidden.shape;
  const dhidden = gpu.allocate([...hidden.shape], 'float32');
  const dhead = {
    tensor: input(inputs, 'headGradient'),
    offset: headGradientOffset,
    length: vocabSize * width,
  };
  forEachChunk(gpu, inputs, attributes, context, (chunk, logits, head) => {
    const dlogits = gpu.allocate([chunk.size, vocabSize], 'float32');
    launchRowGradient(gpu, inputs, attributes, chunk, logits, dlogits);
    const rowsShape = { m: chunk.size, n: width, k: vocabSize };
    multiply(gpu, 'nn', rowsShape, { a: dlogits, b: head, c: rowsOf(dhidden, chunk) }, false);
    const headShape = { m: vocabSize, n: width, k: chunk.size };
    multiply(gpu, 'tn', headShape, { a: dlogits, b: rowsOf(hidden, chunk), c: dhead }, true);
    context.dispose(dlogits);
  });
  return [dhidden];
}

/** d logits of a chunk; the factor 1/T of the chain rule is included. */
function launchRowGradient(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { vocabSize, temperature }: TokenLogprobsAttributes,
  chunk: RowChunk,
  logits: TensorInfo,
  dlogits: TensorInfo,
): void {
  launchGroups(
    gpu,
    {
      key: 'row-logprobs-gradient',
      items: chunk.size,
      reads: {
        'logits: f32': logits,
        'targets: i32': rowsOf(input(inputs, 'targets'), chunk),
        'dlogprobs: f32': rowsOf(input(inputs, 'dlogprob'), chunk),
        'dentropies: f32': rowsOf(input(inputs, 'dentropy'), chunk),
      },
      writes: { 'dlogits: f32': dlogits },
      uniforms: { vocab: u32(vocabSize), temperature: f32(temperature) },
      body: () => /* wgsl */ `${SOFTMAX_MOMENTS}
  let dlogprob = dlogprobs[item];
  let dentropy = dentropies[item];
  let targetIndex = u32(targets[item]);
  for (var i = lane; i < params.vocab; i += LANES) {
    let logp = (logits[base + i] - peak) / params.temperature - logSum;
    let p = exp(logp);
    let hit = select(0.0, 1.0, i == targetIndex);
    dlogits[base + i] = (dlogprob * (hit - p) - dentropy * p * (logp + entropy)) / params.temperature;
  }`,
    },
    lanesFor(vocabSize),
  );
}
