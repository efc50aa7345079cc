import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { TokenLogprobsAttributes } from './attributes.ts';

/** Outputs logprob [N] and entropy [N] of logits [N, V] at targets [N]. */
export function rowLogprobsOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { temperature }: TokenLogprobsAttributes,
): TensorInfo[] {
  const matrix = input(inputs, 'logits');
  const [rows = 0, vocab = 0] = matrix.shape;
  const logprob = memory.allocate([rows], 'float32');
  const entropy = memory.allocate([rows], 'float32');
  const logits = memory.floats(matrix);
  const targets = memory.ints(input(inputs, 'targets'));
  const logprobs = memory.floats(logprob);
  const entropies = memory.floats(entropy);
  for (let row = 0; row < rows; row++) {
    const base = row * vocab;
    const { logSumExp, meanLogit } = softmaxMoments(logits, base, vocab, temperature);
    logprobs[row] = (logits[base + (targets[row] as number)] as number) / temperature - logSumExp;
    entropies[row] = logSumExp - meanLogit;
  }
  return [logprob, entropy];
}

/** Output d logits [N, V]; the factor 1/T of the chain rule is included. */
export function rowLogprobsGradientOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { temperature }: TokenLogprobsAttributes,
): TensorInfo[] {
  const matrix = input(inputs, 'logits');
  const [rows = 0, vocab = 0] = matrix.shape;
  const gradient = memory.allocate([rows, vocab], 'float32');
  const logits = memory.floats(matrix);
  const targets = memory.ints(input(inputs, 'targets'));
  const dlogprobs = memory.floats(input(inputs, 'dlogprob'));
  const dentropies = memory.floats(input(inputs, 'dentropy'));
  const dlogits = memory.floats(gradient);
  for (let row = 0; row < rows; row++) {
    const base = row * vocab;
    const { logSumExp, meanLogit } = softmaxMoments(logits, base, vocab, temperature);
    const entropy = logSumExp - meanLogit;
    const dlogprob = dlogprobs[row] as number;
    const dentropy = dentropies[row] as number;
    for (let i = 0; i < vocab; i++) {
      const logp = (logits[base + i] as number) / temperature - logSumExp;
      const p = Math.exp(logp);
      dlogits[base + i] = (-dlogprob * p - dentropy * p * (logp + entropy)) / temperature;
    }
    const target = base + (targets[row] as number);
    dlogits[target] = (dlogits[target] as number) + dlogprob / temperature;
  }
  return [gradient];
}

/** log Σ exp(z) and Σ p·z of one row, z = logits / T. */
function softmaxMoments(
  logits: Float32Array,
  base: number,
  vocab: number,
  temperature: number,
): { logSumExp: number; meanLogit: number } {
  let max = -Infinity;
  for (let i = base; i < base + vocab; i++) max = Math.max(max, logits[i] as number);
  max /= temperature;
  let sum = 0;
  let weighted = 0;
  for (let i = base; i < base + vocab; i++) {
    const z = (logits[i] as number) / temperature;
    const weight = Math.exp(z - max);
    sum += weight;
    weighted += weight * z;
  }
  return { logSumExp: max + Math.log(sum), meanLogit: weighted / sum };
}
