import { expect, test } from 'vitest';
import type { SuiteContext } from '../plan.ts';
import { SUITE_NAMES } from '../types.ts';

const STARTER_SOURCE = { kind: 'folder', label: 'starter', address: '' } as const;
import { plansOf } from './plans.ts';

const context: SuiteContext = {
  backend: 'webgpu',
  available: new Set(['ours', 'tfjs', 'jax-js', 'transformers.js', 'wasm']),
  model: STARTER_SOURCE,
  software: true,
  countsCpu: false,
  quick: true,
  rollouts: 64,
  tokens: 64,
};

/** Targets of the rows of all suites by name; rows that only inform are left out. */
function targets(changes: Partial<SuiteContext>): Record<string, object> {
  const rows = plansOf(SUITE_NAMES, { ...context, ...changes }).flatMap((plan) => plan.rows);
  return Object.fromEntries(
    rows.flatMap(({ name, target = {} }) => (Object.keys(target).length > 0 ? [[name, target]] : [])),
  );
}

const ANYWHERE = {
  'training step': { tfjs: 4, 'jax-js': 2, torch: 1 },
  step: { trl: 1.5 },
  'weight hand-off': { ours: 3 },
  'step: time outside kernels': { ours: 15 },
  'growth: a step per rollout': { ours: 15 },
  'growth: a step per token, attention taken off': { ours: 15 },
  'memory: growth': { ours: 2 },
  'stream against sync': { ours: 1 / 1.05 },
  'async against sync': { ours: 1 / 1.05 },
  'pass of GRPO': { 'jax-js': 3 },
};
const SQUARE = { tfjs: 4, 'jax-js': 1.5 };

test('the starter model on WebGPU has the targets of the published comparison', () => {
  expect(targets({})).toEqual({
    ...ANYWHERE,
    'gemm NN square': SQUARE,
    'gemm NT square': SQUARE,
    'gemm TN square': SQUARE,
    rollouts: { tfjs: 8, 'transformers.js': 10 },
  });
});

test('on the CPU transformers.js is a harder peer, and tfjs has XNNPACK', () => {
  expect(targets({ backend: 'wasm' })).toEqual({
    ...ANYWHERE,
    rollouts: { tfjs: 8, 'transformers.js': 1.5 },
  });
});

test('a large shape on a hardware GPU is measured against the device itself', () => {
  const model = { kind: 'shape', name: 'smollm2-135m' } as const;
  expect(targets({ model, software: false, quick: false })).toMatchObject({
    'decoding: dispatches per layer': { ours: 6 },
    'decoding against the cost of its dispatches': { ours: 60 },
    'decoding against our product': { ours: 30 },
    'training against our product': { ours: 40 },
    'gemm single row against the copy rate': { ours: 50 },
  });
});

test('suites that share their work are measured once', () => {
  const plans = plansOf(['sync', 'step'], context);
  expect(plans.map(({ workload }) => workload)).toMatchObject([
    { kind: 'step', model: STARTER_SOURCE, task: 'sum_digits', workers: true },
    { kind: 'merge', model: STARTER_SOURCE, precision: 'f32' },
    { kind: 'step', model: STARTER_SOURCE, task: 'sum_digits', workers: false },
  ]);
  expect(plans[0]?.rows.map(({ name }) => name)).toContain('weight hand-off');
});

test('adapters are merged in each precision that generators hold weights in', () => {
  const merges = (changes: Partial<SuiteContext>) =>
    plansOf(['sync'], { ...context, quick: false, ...changes }).filter(
      ({ workload }) => workload.kind === 'merge',
    );
  expect(merges({}).map(({ workload }) => workload)).toMatchObject([
    { precision: 'f32' },
    { precision: 'f16' },
  ]);
  const [merge] = merges({ backend: 'wasm' });
  const values = merge?.rows.map(({ name, value }) => [name, value({ seconds: 0.25, host: 2 }, () => NaN)]);
  expect(merges({ backend: 'wasm' })).toHaveLength(1);
  expect(values).toEqual([
    ['LoRA: merge in a generator', 250],
    ['LoRA: merge on the host, for exports', 2000],
  ]);
});

test('schedules are measured with a thread each on the CPU too, where overlap should pay', () => {
  const plans = plansOf(['schedule'], { ...context, backend: 'wasm' });
  expect(plans.map(({ threads, workload }) => [threads, workload])).toMatchObject([
    [1, { kind: 'schedule', generators: 1, maxStepsOffPolicy: 3 }],
    [undefined, { kind: 'schedule', generators: 2, maxStepsOffPolicy: 3 }],
  ]);
  const sample = {
    seconds: 10,
    'sync wall': 3,
    'async wall': 2,
    'async trainer': 1.5,
    'async generators': 1.75,
    'async age': 1,
  };
  const values = Object.fromEntries(
    (plans[0]?.rows ?? []).map(({ name, value }) => [name, value(sample, () => NaN)]),
  );
  expect(values).toMatchObject({
    'async against sync': 1.5,
    'async: step': 2,
    'async: trainer busy': 1.5,
    'async: generators busy': 1.75,
    'async: policy age': 1,
  });
  expect(plans[0]?.rows.find(({ name }) => name === 'async against sync')?.target).toEqual({ ours: 1.3 });
});
