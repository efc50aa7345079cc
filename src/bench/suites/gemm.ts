/** Matrix products: squares in three layouts, the shapes that the models need, and the skinny ones of decoding. */
import { perSecond, valuesAgree, type Plan, type RowSpec, type SuiteContext } from '../plan.ts';
import { PERCENT_REACHED } from '../statistics.ts';
import type { GemmWorkload, PeerName, Targets } from '../types.ts';

type Shape = Omit<GemmWorkload, 'kind'>;

const SQUARE = 512;
/** On WebGPU; tfjs on the CPU is XNNPACK. */
const SQUARE_TARGETS: Targets = { tfjs: 4, 'jax-js': 1.5 };

/** Rows of C in decoding: one for each completion under way. */
const DECODE_ROWS = [1, 4, 16, 64];

/** Of the starter model with 4096 tokens: fused q | k | v, down, and the two backward forms of each. */
const STARTER: readonly Shape[] = [
  { layout: 'nn', m: 4096, n: 192, k: 64 },
  { layout: 'nt', m: 4096, n: 64, k: 192 },
  { layout: 'tn', m: 64, n: 192, k: 4096 },
  { layout: 'nn', m: 4096, n: 64, k: 176 },
  { layout: 'nt', m: 4096, n: 176, k: 64 },
  { layout: 'tn', m: 176, n: 64, k: 4096 },
  { layout: 'nt', m: 4096, n: 28, k: 64 },
];

/** Of a model 576 wide with 256 tokens. */
const WIDE: readonly Shape[] = [
  { layout: 'nn', m: 256, n: 960, k: 576 },
  { layout: 'nt', m: 256, n: 576, k: 960 },
  { layout: 'tn', m: 576, n: 960, k: 256 },
  { layout: 'nn', m: 256, n: 576, k: 1536 },
];

export function gemmPlans(context: SuiteContext): Plan[] {
  const targets = context.backend === 'webgpu' ? SQUARE_TARGETS : {};
  const square = (['nn', 'nt', 'tn'] as const).map((layout) =>
    plan({ layout, m: SQUARE, n: SQUARE, k: SQUARE }, 'square', targets, context),
  );
  if (context.quick) return square;
  const skinny = DECODE_ROWS.map((m) => plan({ layout: 'nn', m, n: 1536, k: 576 }, 'skinny', {}, context));
  const starter = STARTER.map((shape) => plan(shape, 'starter', {}, context));
  const wide = WIDE.map((shape) => plan(shape, 'wide', {}, context));
  return [...square, ...skinny, ...starter, ...wide];
}

const PEERS: readonly PeerName[] = ['tfjs', 'jax-js', 'wasm'];

function plan(shape: Shape, group: string, target: Targets, context: SuiteContext): Plan {
  const { available } = context;
  const { layout, m, n, k } = shape;
  return {
    workload: { kind: 'gemm', ...shape },
    peers: PEERS.filter((peer) => available.has(peer)),
    agreement: valuesAgree(1e-4),
    rows: [
      {
        name: `gemm ${layout.toUpperCase()} ${group}`,
        shape: `${m} x ${n} x ${k}`,
        unit: 'GFLOP/s',
        value: perSecond((2 * m * n * k) / 1e9),
        target,
        ceiling: 'multiply-add',
      },
      ...(m === 1 && !context.software ? [bandwidthRow(shape)] : []),
    ],
  };
}

/** A single row reads every weight once, so memory bounds it where the weights are not in a CPU's cache. */
function bandwidthRow({ m, n, k }: Shape): RowSpec {
  const gigabytes = (4 * (n * k + n + k)) / 1e9;
  return {
    name: 'gemm single row against the copy rate',
    shape: `${m} x ${n} x ${k}`,
    unit: PERCENT_REACHED,
    value: ({ seconds }, ceilingOf) => (100 * gigabytes) / seconds / ceilingOf('copy'),
    needs: ['copy'],
    target: { ours: 50 },
  };
}
