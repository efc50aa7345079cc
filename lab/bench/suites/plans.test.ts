import { expect, test } from 'vitest';
import type { SuiteContext } from '../plan.ts';
import { SUITE_NAMES } from '../types.ts';

const STARTER_SOURCE = { kind: 'folder', label: 'starter', address: '' } as const;
import { plansOf } from './plans.ts';

const context: SuiteContext = {
  backend: 'webgpu',
  hardware: false,
  available: new Set(['ours', 'tfjs', 'jax-js', 'transformers.js', 'wasm']),
  model: STARTER_SOURCE,
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
  'step: CPU': { trl: 1 / 1.5 },
  'weight hand-off': { ours: 3 },
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

test('on the CPU transformers.js is a harder peer, and tfjs has XNNPACK, so products have no target', () => {
  expect(targets({ backend: 'wasm' })).toEqual({
    ...ANYWHERE,
    rollouts: { tfjs: 8, 'transformers.js': 1.5 },
  });
});

test('products that fill a GPU are timed on hardware alone', () => {
  const large = (hardware: boolean) =>
    plansOf(['gemm'], { ...context, hardware }).flatMap(({ rows }) =>
      rows.filter(({ name }) => name === 'gemm NN large').map(({ shape }) => shape),
    );
  expect(large(true)).toEqual(['1024 x 1024 x 1024', '2048 x 2048 x 2048', '4096 x 4096 x 4096']);
  expect(large(false)).toEqual([]);
});

test('sampling beside a frozen base is compared with transformers.js, alone and in a batch', () => {
  const plans = plansOf(['lora'], { ...context, quick: false }).filter(
    ({ workload }) => workload.kind === 'rollout',
  );
  expect(
    plans.map(({ workload, peers, rows }) => [workload, peers, rows.map(({ target }) => target)]),
  ).toMatchObject([
    [{ groups: 1, samples: 1, rank: 32 }, ['transformers.js'], [{ 'transformers.js': 1 }]],
    [{ groups: 8, samples: 8, rank: 32 }, ['transformers.js'], [{ 'transformers.js': 3.5 }]],
  ]);
});

test('suites that share their work are measured once', () => {
  const plans = plansOf(['sync', 'step'], context);
  expect(plans.map(({ workload }) => workload)).toMatchObject([
    { kind: 'step', model: STARTER_SOURCE, task: 'sum_digits' },
    { kind: 'merge', model: STARTER_SOURCE, precision: 'f32' },
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
  const values = merge?.rows.map(({ name, value }) => [name, value({ seconds: 0.25, host: 2 })]);
  expect(merges({ backend: 'wasm' })).toHaveLength(1);
  expect(values).toEqual([
    ['LoRA: merge in a generator', 250],
    ['LoRA: merge on the host, for exports', 2000],
  ]);
});
