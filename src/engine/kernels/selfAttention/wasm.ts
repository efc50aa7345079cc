/** Attention on the wasm heap, by the kernels in `src/engine/simd`. */
import { type WasmBody, input, pointers } from '../../backend/kernelRegistry.ts';
import { attentionRule, type AttentionRule } from '../shared/attention.ts';

export interface SelfAttentionAttributes extends AttentionRule {
  readonly batch: number;
  readonly length: number;
  readonly heads: number;
  /** The number of key/value heads, which divides `heads`: each serves heads / kvHeads query heads (grouped-query attention). */
  readonly kvHeads: number;
  /** The size of a head, which must be even. */
  readonly headDim: number;
}

/** The fewest multiplications that are worth waking a thread for: some 5 µs. */
const MULTIPLICATIONS_PER_PART = 100_000;

/** The pairs of a sequence and a key/value head, and the least number of them for one thread. */
function share({ batch, length, heads, kvHeads, headDim, window }: SelfAttentionAttributes) {
  const multiplications = (heads / kvHeads) * length * Math.min(length, window ?? length) * headDim;
  return { items: batch * kvHeads, grain: Math.ceil(MULTIPLICATIONS_PER_PART / multiplications) };
}

/** Outputs the mixed values [B·T, heads·headDim] and the log-sum-exp of each query [B·T, heads]. */
export const selfAttentionOnWasm: WasmBody<SelfAttentionAttributes> = (memory, inputs, attributes) => {
  const { batch, length, heads, kvHeads, headDim } = attributes;
  const mixed = memory.allocate([batch * length, heads * headDim], 'float32');
  const logSumExp = memory.allocate([batch * length, heads], 'float32');
  const scratch = memory.scratch(memory.threads * memory.call('selfAttentionScratch', length, headDim));
  const { items, grain } = share(attributes);
  const { scale, window } = attentionRule(attributes);
  memory.parallel(
    'selfAttention',
    items,
    grain,
    memory.pointer(input(inputs, 'qkv')),
    memory.pointer(mixed),
    memory.pointer(logSumExp),
    length,
    heads,
    kvHeads,
    headDim,
    window,
    scale,
    scratch,
  );
  return [mixed, logSumExp];
};

/** Outputs d qkv in the shape of qkv. */
export const selfAttentionGradientOnWasm: WasmBody<SelfAttentionAttributes> = (
  memory,
  inputs,
  attributes,
) => {
  const { length, heads, kvHeads, headDim } = attributes;
  const qkv = input(inputs, 'qkv');
  const dqkv = memory.allocate([...qkv.shape], 'float32');
  const blockLength = memory.call('selfAttentionGradientScratch', length, headDim);
  const scratch = memory.scratch(memory.threads * blockLength);
  const { items, grain } = share(attributes);
  const { scale, window } = attentionRule(attributes);
  memory.parallel(
    'selfAttentionGradient',
    items,
    grain,
    memory.pointer(qkv),
    ...pointers(memory, inputs, 'mixed', 'logSumExp', 'dy'),
    memory.pointer(dqkv),
    length,
    heads,
    kvHeads,
    headDim,
    window,
    scale,
    scratch,
  );
  return [dqkv];
};
