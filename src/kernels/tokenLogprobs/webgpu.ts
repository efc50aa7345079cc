import { f32, u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { lanesFor, launchGroups } from '../launch.ts';
import type { TokenLogprobsAttributes } from './attributes.ts';

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

/** Outputs logprob [N] and entropy [N] of logits [N, V] at targets [N]. */
export function rowLogprobsOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { temperature }: TokenLogprobsAttributes,
): TensorInfo[] {
  const logits = input(inputs, 'logits');
  const [rows = 0, vocab = 0] = logits.shape;
  const logprobs = gpu.allocate([rows], 'float32');
  const entropies = gpu.allocate([rows], 'float32');
  launchGroups(
    gpu,
    {
      key: 'row-logprobs',
      items: rows,
      reads: { 'logits: f32': logits, 'targets: i32': input(inputs, 'targets') },
      writes: { 'logprobs: f32': logprobs, 'entropies: f32': entropies },
      uniforms: { vocab: u32(vocab), temperature: f32(temperature) },
      body: () => /* wgsl */ `${SOFTMAX_MOMENTS}
  if (lane == 0u) {
    logprobs[item] = (logits[base + u32(targets[item])] - peak) / params.temperature - logSum;
    entropies[item] = entropy;
  }`,
    },
    lanesFor(vocab),
  );
  return [logprobs, entropies];
}

/** Output d logits [N, V]; the factor 1/T of the chain rule is included. */
export function rowLogprobsGradientOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { temperature }: TokenLogprobsAttributes,
): TensorInfo[] {
  const logits = input(inputs, 'logits');
  const [rows = 0, vocab = 0] = logits.shape;
  const dlogits = gpu.allocate([rows, vocab], 'float32');
  launchGroups(
    gpu,
    {
      key: 'row-logprobs-gradient',
      items: rows,
      reads: {
        'logits: f32': logits,
        'targets: i32': input(inputs, 'targets'),
        'dlogprobs: f32': input(inputs, 'dlogprob'),
        'dentropies: f32': input(inputs, 'dentropy'),
      },
      writes: { 'dlogits: f32': dlogits },
      uniforms: { vocab: u32(vocab), temperature: f32(temperature) },
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
    lanesFor(vocab),
  );
  return [dlogits];
}
