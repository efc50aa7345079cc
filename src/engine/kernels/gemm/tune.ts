/** Times the plans on the current GPU and keeps the fastest of each class. */
import { gpuDispatcher, type GpuDispatcher } from '../../backend/dispatch.ts';
import * as tf from '../../backend/tf.ts';
import {
  gemmCandidates,
  gemmClass,
  planName,
  type GemmClass,
  type GemmDevice,
  type GemmPlan,
  type GemmPlans,
  adoptGemmPlans,
  gemmDevice,
} from './plan.ts';
import type { GemmLayout, GemmShape } from './shape.ts';
import { gemmDispatch } from './webgpu.ts';

type Product = GemmShape & { readonly layout: GemmLayout };

/** One shape for each class, in the order of the time that a training step spends on it. */
function representatives({ software }: GemmDevice): Product[] {
  const wide = software ? { n: 192, k: 64 } : { n: 1536, k: 576 };
  const narrow = software ? { n: 64, k: 192 } : { n: 576, k: 1536 };
  const [large, small] = software ? [2048, 512] : [2048, 256];
  return [
    { layout: 'nn', m: large, ...wide },
    { layout: 'nt', m: large, ...wide },
    { layout: 'tn', m: wide.k, n: wide.n, k: software ? 512 : 1024 },
    { layout: 'nn', m: small, ...narrow },
    { layout: 'nt', m: small, ...narrow },
    { layout: 'tn', m: 192, n: 576, k: 512 },
    { layout: 'nn', m: 32, ...wide },
    { layout: 'nt', m: 32, ...wide },
    { layout: 'nn', m: 1, ...wide },
    { layout: 'nt', m: 1, ...wide },
  ];
}

const ROUNDS = 3;
/** The dispatches of one timing: on a fast GPU the way there and back would take longer than a single one. */
const REPEATS = { software: 1, hardware: 8 };

/**
 * Times every plan that may be the best on a few shapes, uses the fastest from then on, and returns them. It ends after about `budget`
 * milliseconds; classes that were not reached keep the adapter's usual plan. The current backend must be ours on WebGPU, with nothing
 * else running on it.
 */
export async function tuneGemm(budget = 1200): Promise<GemmPlans> {
  const gpu = gpuDispatcher(tf.backend());
  const device = gemmDevice(gpu);
  const choices: Partial<Record<GemmClass, string>> = {};
  const end = performance.now() + budget;
  for (const product of representatives(device)) {
    if (performance.now() > end) break;
    const best = await fastest(gpu, product, device);
    choices[gemmClass(product.layout, product)] = planName(best);
  }
  const plans = { adapter: device.key, choices };
  adoptGemmPlans(plans);
  return plans;
}

async function fastest(gpu: GpuDispatcher, product: Product, device: GemmDevice): Promise<GemmPlan> {
  const { m, n, k, layout } = product;
  const candidates = gemmCandidates(layout, device);
  const [a, b, c] = [m * k, n * k, m * n].map((size) => tf.ones([size])) as [tf.Tensor, tf.Tensor, tf.Tensor];
  const run = (plan: GemmPlan): void => {
    gpu.dispatch(gemmDispatch(product, { a, b, c }, plan));
  };
  await gpu.compileAhead(() => candidates.forEach(run));
  const repeats = device.software ? REPEATS.software : REPEATS.hardware;
  const times = candidates.map(() => Infinity);
  // The first round warms up caches and clocks.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, plan] of candidates.entries()) {
      const start = performance.now();
      for (let repeat = 0; repeat < repeats; repeat++) run(plan);
      gpu.flush();
      await gpu.device.queue.onSubmittedWorkDone();
      if (round > 0) times[i] = Math.min(times[i] ?? Infinity, performance.now() - start);
    }
  }
  tf.dispose([a, b, c]);
  const best = candidates[times.indexOf(Math.min(...times))];
  if (!best) throw new Error(`No GEMM plan fits this device (${device.key}).`);
  return best;
}
