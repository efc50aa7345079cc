/**
 * Matrix products, squares in three layouts, the shapes that the models need and the skinny ones of decoding; and fused ops one
 * by one, against the same composed of plain tfjs ops.
 */
import { perSecond, valuesAgree, type Plan, type RowSpec, type SuiteContext, milliseconds } from '../plan.ts';
import { FORMATS_OF_NUMBERS, type GemmWorkload, type Targets, type OpName, type OpSizes } from '../types.ts';

type ProductShape = Omit<GemmWorkload, 'kind'>;

const SQUARE_SIDE = 512;
/** The sides of squares that fill a hardware GPU. */
const LARGE_SIDES = [1024, 2048, 4096] as const;
/** The targets of squares on WebGPU; tfjs on the CPU is XNNPACK. */
const SQUARE_TARGETS: Targets = { tfjs: 4, 'jax-js': 1.5 };

/** Rows of C in decoding: one for each completion under way. */
const DECODE_ROWS = [1, 4, 16, 64];

/** The products of the starter model with 4096 tokens: fused q | k | v, down, and the two backward forms of each. */
const STARTER_PRODUCTS: readonly ProductShape[] = [
  { layout: 'nn', m: 4096, n: 192, k: 64 },
  { layout: 'nt', m: 4096, n: 64, k: 192 },
  { layout: 'tn', m: 64, n: 192, k: 4096 },
  { layout: 'nn', m: 4096, n: 64, k: 176 },
  { layout: 'nt', m: 4096, n: 176, k: 64 },
  { layout: 'tn', m: 176, n: 64, k: 4096 },
  { layout: 'nt', m: 4096, n: 28, k: 64 },
];

/** The products of a model 576 wide with 256 tokens. */
const WIDE_PRODUCTS: readonly ProductShape[] = [
  { layout: 'nn', m: 256, n: 960, k: 576 },
  { layout: 'nt', m: 256, n: 576, k: 960 },
  { layout: 'tn', m: 576, n: 960, k: 256 },
  { layout: 'nn', m: 256, n: 576, k: 1536 },
];

/** The rows of C for a frozen base that decodes, and for one that trains. */
const FROZEN_ROWS = [4, 256];

export function gemmPlans(context: SuiteContext): Plan[] {
  const targets = context.backend === 'webgpu' ? SQUARE_TARGETS : {};
  const square = (['nn', 'nt', 'tn'] as const).map((layout) =>
    productPlan({ layout, m: SQUARE_SIDE, n: SQUARE_SIDE, k: SQUARE_SIDE }, 'square', targets),
  );
  const large = context.hardware
    ? LARGE_SIDES.map((side) => productPlan({ layout: 'nn', m: side, n: side, k: side }, 'large'))
    : [];
  if (context.quick) return [...square, ...large];
  const skinny = DECODE_ROWS.map((m) => productPlan({ layout: 'nn', m, n: 1536, k: 576 }, 'skinny'));
  const starter = STARTER_PRODUCTS.map((shape) => productPlan(shape, 'starter'));
  const wide = WIDE_PRODUCTS.map((shape) => productPlan(shape, 'wide'));
  const frozen = FROZEN_ROWS.flatMap((m) =>
    FORMATS_OF_NUMBERS.map((format) => {
      const shape = { layout: 'nt', m, n: 1536, k: 768, frozen: format } as const;
      return productPlan(shape, `frozen ${format}`);
    }),
  );
  return [...square, ...large, ...skinny, ...starter, ...wide, ...frozen];
}

function productPlan(shape: ProductShape, group: string, target: Targets = {}): Plan {
  const { layout, m, n, k } = shape;
  return {
    workload: { kind: 'gemm', ...shape },
    // Other libraries have no products with weights in a file's own words.
    peers: shape.frozen ? ['wasm'] : ['tfjs', 'jax-js', 'wasm'],
    agreement: valuesAgree(1e-4),
    rows: [
      {
        name: `gemm ${layout.toUpperCase()} ${group}`,
        shape: `${m} x ${n} x ${k}`,
        unit: 'GFLOP/s',
        value: perSecond((2 * m * n * k) / 1e9),
        target,
      },
    ],
  };
}

/** The starter model's step: 64 rollouts of 64 positions. */
const STARTER_SIZES: OpSizes = {
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
const WIDE_SIZES: OpSizes = {
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
  return (context.quick ? [STARTER_SIZES] : [STARTER_SIZES, WIDE_SIZES]).flatMap((sizes) =>
    names.map((op) => opPlan(op, sizes)),
  );
}

function opPlan(op: OpName, sizes: OpSizes): Plan {
  return {
    workload: { kind: 'op', op, sizes },
    peers: ['tfjs', 'wasm'],
    agreement: valuesAgree(1e-4),
    rows: [{ name: WORDS[op], ...figures(op, sizes) }],
  };
}

/** Sizes in words, and the unit: bytes that must move at least for ops bound by memory, operations for the others. */
function figures(
  op: OpName,
  { batch, length, heads, headDim, hidden, mlp, vocabulary, parameters }: OpSizes,
): Pick<RowSpec, 'shape' | 'unit' | 'value'> {
  const rows = batch * length;
  const gigabytes = (floats: number) => ({ unit: 'GB/s', value: perSecond((4 * floats) / 1e9) });
  const operations = (count: number) => ({ unit: 'GFLOP/s', value: perSecond(count / 1e9) });
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
