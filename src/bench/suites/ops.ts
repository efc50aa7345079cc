/** Fused ops one by one, against the same composed of plain tfjs ops. */
import { milliseconds, perSecond, valuesAgree, type Plan, type RowSpec, type SuiteContext } from '../plan.ts';
import type { OpName, OpSizes, PeerName } from '../types.ts';

const PEERS: readonly PeerName[] = ['tfjs', 'wasm'];

/** The starter model's step: 64 rollouts of 64 positions. */
const STARTER: OpSizes = {
  batch: 64,
  length: 64,
  heads: 4,
  kvHeads: 4,
  headDim: 16,
  hidden: 64,
  mlp: 176,
  vocabulary: 28,
  parameters: 153_000,
};
/** A 135 M model's step, cut to a size that a software adapter can bear. */
const WIDE: OpSizes = {
  batch: 4,
  length: 128,
  heads: 9,
  kvHeads: 3,
  headDim: 64,
  hidden: 576,
  mlp: 1536,
  vocabulary: 2048,
  parameters: 4_000_000,
};

const WORDS: Readonly<Record<OpName, string>> = {
  attention: 'attention',
  attentionGradient: 'attention and gradient',
  rmsNorm: 'RMSNorm',
  swiglu: 'SwiGLU',
  tokenLogprobs: 'token log-probs',
  adamw: 'clip and AdamW',
};

export function opsPlans(context: SuiteContext): Plan[] {
  const names = Object.keys(WORDS) as OpName[];
  return (context.quick ? [STARTER] : [STARTER, WIDE]).flatMap((sizes) =>
    names.map((op) => plan(op, sizes, context)),
  );
}

function plan(op: OpName, sizes: OpSizes, { available }: SuiteContext): Plan {
  return {
    workload: { kind: 'op', op, sizes },
    peers: PEERS.filter((peer) => available.has(peer)),
    agreement: valuesAgree(1e-4),
    rows: [{ name: WORDS[op], ...figures(op, sizes), target: {} }],
  };
}

/** Sizes in words, and the unit: bytes that must move at least for ops bound by memory, operations for the others. */
function figures(
  op: OpName,
  { batch, length, heads, headDim, hidden, mlp, vocabulary, parameters }: OpSizes,
): Pick<RowSpec, 'shape' | 'unit' | 'value' | 'ceiling'> {
  const rows = batch * length;
  const gigabytes = (floats: number) =>
    ({ unit: 'GB/s', value: perSecond((4 * floats) / 1e9), ceiling: 'copy' }) as const;
  const operations = (count: number) =>
    ({ unit: 'GFLOP/s', value: perSecond(count / 1e9), ceiling: 'multiply-add' }) as const;
  switch (op) {
    case 'attention':
    case 'attentionGradient': {
      const shape = `${batch} x ${length}, ${heads} heads of ${headDim}`;
      return { shape, unit: 'ms', value: milliseconds };
    }
    case 'rmsNorm':
      return { shape: `${rows} x ${hidden}`, ...gigabytes(2 * rows * hidden) };
    case 'swiglu':
      return { shape: `${rows} x ${mlp}`, ...gigabytes(3 * rows * mlp) };
    case 'tokenLogprobs':
      return {
        shape: `${rows} x ${hidden}, ${vocabulary} tokens`,
        ...operations(2 * rows * hidden * vocabulary),
      };
    case 'adamw':
      return { shape: `${parameters} parameters`, ...gigabytes(8 * parameters) };
  }
}
