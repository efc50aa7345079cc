/** Tests of what only WebGPU has: several plans for one product, and tuning. */
import { expect, test } from 'vitest';
import { gpuDispatcher } from '../../backend/dispatch.ts';
import { startBackend } from '../../backend/start.ts';
import * as tf from '../../backend/tf.ts';
import { bitDifference } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { randomFrozen } from '../testing/frozen.ts';
import { disposeFrozenMatrix } from '../frozenMatrix/storage.ts';
import { gemm } from './gemm.ts';
import {
  gemmCandidates,
  gemmClass,
  planFor,
  planName,
  type GemmPlan,
  adoptGemmPlans,
  currentGemmPlans,
  gemmDevice,
} from './plan.ts';
import { casesOf, everyCase, failOnDeviceProblems } from '../../testing/gpu.ts';
import type { GemmLayout } from './shape.ts';
import { tuneGemm } from './tune.ts';
import { gemmDispatch } from './webgpu.ts';

await startBackend('webgpu');
const gpu = gpuDispatcher(tf.backend());
const device = gemmDevice(gpu);

failOnDeviceProblems();

/** Plans of equal code differ in how many rows it is unrolled to, or in how many invocations go together. */
const codeOf = (plan: GemmPlan): string =>
  plan.kind === 'tiled' ? 'tiled' : `direct ${plan.quads} ${plan.columns}`;

/**
 * Those of this device, and those that other kinds of adapter would choose from; on a software adapter, which compiles long
 * unrolled code for seconds, that one of each code which is unrolled least.
 */
function allPlans(layout: GemmLayout): GemmPlan[] {
  const kinds = [device, { ...device, subgroups: false }, { ...device, software: !device.software }];
  const plans = kinds.flatMap((kind) => gemmCandidates(layout, kind));
  const all = [...new Map(plans.map((plan) => [planName(plan), plan])).values()];
  const shortest = all.toSorted((a, b) => b.rows - a.rows);
  return [...casesOf(all, [...new Map(shortest.map((plan) => [codeOf(plan), plan])).values()])];
}

for (const layout of ['nn', 'nt', 'tn'] as const) {
  for (const { m, n, k, into } of [
    { m: 37, n: 44, k: 24, into: false },
    { m: 19, n: 13, k: 23, into: true },
  ]) {
    if (!everyCase && into === (layout === 'nn')) continue;
    const what = into ? 'added to a slice' : 'with bias and residual';
    test(`${layout} ${m} x ${n} x ${k}, ${what}: the same bits under every plan`, async () => {
      const random = freshInputs();
      const [a, b] = [tf.tensor1d(random.floats(m * k)), tf.tensor1d(random.floats(n * k))];
      const [bias, residual] = [tf.tensor1d(random.floats(n)), tf.tensor1d(random.floats(m * n))];
      const target = random.floats(64 + m * n);
      const epilogue = into ? {} : { bias, residual };
      const plans = allPlans(layout);
      const runs = plans.map((plan) => {
        const result = tf.tensor1d(target);
        const c = { tensor: result, offset: 64, length: m * n };
        const given = { a, b, c, target: into ? 'add' : 'overwrite', ...epilogue } as const;
        return { result, run: () => gpu.dispatch(gemmDispatch({ layout, m, n, k }, given, plan)) };
      });
      await gpu.compileAhead(() => runs.forEach(({ run }) => run()));
      runs.forEach(({ run }) => run());
      const [first, ...others] = runs.map(({ result }) => result);
      expect(others.length).toBeGreaterThan(everyCase ? 6 : 2);
      for (const [i, other] of others.entries()) {
        const name = planName(plans[i + 1] as GemmPlan);
        expect(await bitDifference(name, other, first as tf.Tensor, random.seed)).toBeNull();
      }
      tf.dispose([a, b, bias, residual, ...runs.map(({ result }) => result)]);
    });
  }
}

test('a frozen matrix, summed on from what C holds: the same bits under every plan, those of the whole K', async () => {
  const random = freshInputs();
  const [m, n, k, first] = [21, 20, 96, 64];
  const { matrix, wide } = randomFrozen(random, 'bf16', [k, n]);
  const a = tf.tensor1d(random.floats(m * k));
  const [start, rest] = matrix.blocks;
  if (!start || !rest) throw new Error('The matrix has fewer than two blocks.');
  const whole = gemm(tf.reshape(a, [m, k]), wide, 'nn');
  const half = gemm(
    tf.slice(tf.reshape(a, [m, k]), [0, 0], [m, first]),
    tf.slice(wide, [0, 0], [first, n]),
    'nn',
  );
  const sums = await half.data();
  const runs = allPlans('nn').map((plan) => {
    const result = tf.tensor1d(sums);
    const part = { tensor: a, offset: first, length: m * k - first };
    const given = {
      a: part,
      b: rest.words,
      c: result,
      target: 'continue',
      format: 'bf16',
      aRow: k,
    } as const;
    const product = { layout: 'nn', m, n, k: k - first } as const;
    return { plan, result, run: () => gpu.dispatch(gemmDispatch(product, given, plan)) };
  });
  await gpu.compileAhead(() => runs.forEach(({ run }) => run()));
  for (const { plan, result, run } of runs) {
    run();
    expect(await bitDifference(planName(plan), result, whole, random.seed)).toBeNull();
  }
  tf.dispose([a, wide, whole, half, ...runs.map(({ result }) => result)]);
  disposeFrozenMatrix(matrix);
});

test('tuning chooses among the candidates, keeps to its budget and changes no bit', async () => {
  const random = freshInputs();
  const [a, b] = [
    tf.tensor2d(random.floats(130 * 64), [130, 64]),
    tf.tensor2d(random.floats(64 * 96), [64, 96]),
  ];
  const before = gemm(a, b, 'nn');
  const tensors = tf.memory().numTensors;
  const plans = await tuneGemm(200);
  expect(tf.memory().numTensors).toBe(tensors);
  expect(currentGemmPlans()).toEqual(plans);
  expect(JSON.parse(JSON.stringify(plans))).toEqual(plans);
  expect(plans.adapter).toBe(device.key);
  expect(Object.keys(plans.choices)).toContain('nn large');
  for (const [name, choice] of Object.entries(plans.choices)) {
    const layout = name.slice(0, 2) as GemmLayout;
    expect(gemmCandidates(layout, device).map(planName)).toContain(choice);
  }
  expect(await bitDifference('after tuning', gemm(a, b, 'nn'), before, random.seed)).toBeNull();
  adoptGemmPlans(null);
});

test('measured plans are used for their class on their adapter only', () => {
  const shape = { m: 4096, n: 192, k: 64 };
  const usual = planName(planFor('nn', shape, device, null));
  const other = gemmCandidates('nn', device)
    .map(planName)
    .find((name) => name !== usual);
  const choices = { [gemmClass('nn', shape)]: other };
  expect(planName(planFor('nn', shape, device, { adapter: device.key, choices }))).toBe(other);
  expect(planName(planFor('nn', shape, device, { adapter: 'another', choices }))).toBe(usual);
  expect(planName(planFor('nt', shape, device, { adapter: device.key, choices }))).toBe(
    planName(planFor('nt', shape, device, null)),
  );
});
