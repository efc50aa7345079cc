/** Our products and fused ops one by one. */
import { quantizeBlocks, toBfloat16, toFloat16, type FrozenMatrix } from '@rl-playground/engine/parts';
import {
  tf,
  adamwStep,
  allocateFrozenMatrix,
  disposeFrozenMatrix,
  gatedUnit,
  isFrozen,
  rmsNorm,
  selfAttention,
  selfAttentionGradient,
  squaredNorm,
  tokenLogprobs,
  gemm,
  writeFrozenRows,
  workDone,
} from '@rl-playground/engine/parts/tensors';
import { NORM_EPSILON, opInputs, thinned, gemmInputs, TRAINING } from '../participants/inputs.ts';
import { prepareOperation } from '../participants/timing.ts';
import type { FormatOfNumbers, OpWorkload, Prepared, GemmWorkload } from '../types.ts';

/** The result of an op: fresh tensors, the first of which is compared. */
type Compute = () => tf.Tensor[];

function body({ op, sizes }: OpWorkload, input: (name: string) => tf.Tensor): Compute {
  switch (op) {
    case 'attention':
      return () => {
        const { mixed, logSumExp } = selfAttention(input('qkv'), sizes);
        return [mixed, logSumExp];
      };
    case 'attentionGradient':
      return () => {
        const { mixed, logSumExp } = selfAttention(input('qkv'), sizes);
        const inputs = { qkv: input('qkv'), mixed, logSumExp, dy: input('dy') };
        return [selfAttentionGradient(inputs, sizes), mixed, logSumExp];
      };
    case 'rmsNorm':
      return () => [rmsNorm(input('x'), input('gamma'), NORM_EPSILON)];
    case 'swiglu':
      return () => [gatedUnit(input('gateUp'))];
    case 'tokenLogprobs':
      return () => {
        const { logprob, entropy } = tokenLogprobs(input('x'), input('head'), input('targets'), 1);
        return [logprob, entropy];
      };
    case 'adamw':
      return () => [adamw(input)];
  }
}

/** The first update of a pool. The op changes its inputs, so later repeats start from what earlier ones left. */
function adamw(input: (name: string) => tf.Tensor): tf.Tensor {
  const pools = {
    parameters: input('parameter'),
    gradients: input('gradient'),
    m: input('m'),
    v: input('v'),
  };
  const { learningRate, beta1, beta2, epsilon, weightDecay, clipNorm } = TRAINING;
  const norm = squaredNorm(pools.gradients);
  adamwStep(
    { ...pools, squaredNorm: norm },
    {
      learningRate,
      beta1,
      beta2,
      epsilon,
      weightDecay,
      clipNorm,
      decayedLength: pools.parameters.size,
      correction1: 1 - beta1,
      correction2: 1 - beta2,
    },
  );
  norm.dispose();
  return pools.parameters.clone();
}

export function prepareOp(workload: OpWorkload): Promise<Prepared> {
  const inputs = new Map(
    [...opInputs(workload)].map(([name, { shape, data }]) => [
      name,
      name === 'targets' ? tf.tensor(data, [...shape], 'int32') : tf.tensor(data, [...shape], 'float32'),
    ]),
  );
  const input = (name: string): tf.Tensor => {
    const tensor = inputs.get(name);
    if (!tensor) throw new Error(`The op has no input ${name}.`);
    return tensor;
  };
  return prepareOperation({
    start: body(workload, input),
    finish: workDone,
    free: (results) => tf.dispose(results),
    read: async ([first]) => thinned((await first?.data<'float32'>()) ?? new Float32Array()),
    release: () => tf.dispose([...inputs.values()]),
  });
}

/** A matrix [out, in] as words of a format. */
function frozenOf(
  shape: readonly [number, number],
  values: Float32Array,
  format: FormatOfNumbers,
): FrozenMatrix {
  const matrix = allocateFrozenMatrix(shape, format);
  writeFrozenRows(matrix, 0, wordsOf(values, format));
  return matrix;
}

function wordsOf(values: Float32Array, format: FormatOfNumbers): Uint8Array {
  if (format !== 'f32' && format !== 'f16' && format !== 'bf16') return quantizeBlocks(format, values);
  const same = { f32: () => values, f16: () => toFloat16(values), bf16: () => toBfloat16(values) };
  const { buffer, byteOffset, byteLength } = same[format]();
  return new Uint8Array(buffer, byteOffset, byteLength);
}

export function prepareGemm(workload: GemmWorkload): Promise<Prepared> {
  const { layout, frozen } = workload;
  const { a, b } = gemmInputs(workload);
  const left = tf.tensor2d(a.data, a.shape);
  const right = frozen ? frozenOf(b.shape, b.data, frozen) : tf.tensor2d(b.data, b.shape);
  return prepareOperation({
    start: () => gemm(left, right, layout),
    finish: workDone,
    free: (product) => product.dispose(),
    read: async (product) => thinned(await product.data<'float32'>()),
    release: () => {
      left.dispose();
      if (isFrozen(right)) disposeFrozenMatrix(right);
      else right.dispose();
    },
  });
}
