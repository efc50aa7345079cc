import { describe, expect, test } from 'vitest';
import { stepMetricsWith } from '../../testing/stepMetrics.ts';
import { findCollapse as findCollapseOf } from './collapse.ts';
import type { StepMetrics } from '../metrics/index.ts';

const HEALTHY = stepMetricsWith({
  rewardStd: 1,
  accuracy: 0.5,
  format: 0.9,
  kl: 0,
  entropy: 0.5,
  fracMixed: 0.5,
  completionTokens: 1000,
  meanLength: 10,
});

/** Eight steps of each stretch, one after the other. */
const run = (...stretches: Partial<StepMetrics>[]): StepMetrics[] =>
  stretches
    .flatMap((stretch) => Array.from({ length: 8 }, () => ({ ...HEALTHY, ...stretch })))
    .map((metrics, i) => ({ ...metrics, step: i + 1 }));

const findCollapse = (metrics: readonly StepMetrics[]) => findCollapseOf(metrics, true);

describe('findCollapse', () => {
  test('says nothing about a run that gets better, stays level or dips a little', () => {
    expect(findCollapse(run({ reward: -0.5 }, { reward: 0.2 }, { reward: 0.9 }))).toBeNull();
    expect(findCollapse(run({}, {}))).toBeNull();
    expect(findCollapse(run({ reward: 0.9 }, { reward: 0.55 }))).toBeNull();
  });

  test('reports a reward that fell far below its best stretch, with both numbers', () => {
    const collapse = findCollapse(run({ reward: -0.5 }, { reward: 0.8 }, { reward: 0.25 }));
    expect(collapse?.title).toBe('The run has collapsed');
    expect(collapse?.text).toContain('0.25');
    expect(collapse?.text).toContain('0.80');
  });

  test('a level that became harder is no collapse, a fall at it is one', () => {
    const at = (level: number, reward: number): Partial<StepMetrics> => ({
      reward,
      tasks: [{ task: 'a', reward, accuracy: 0.5, format: 1, n: 128, level }],
    });
    expect(findCollapse(run(at(1, 0.8), at(1, 0.8), at(2, -0.5), at(2, -0.5)))).toBeNull();
    expect(findCollapse(run(at(1, -0.5), at(2, 0.8), at(2, 0.8), at(2, -0.5)))?.title).toBe(
      'The run has collapsed',
    );
  });

  test('rewards that swing from step to step may fall further than steady ones', () => {
    const swinging = (middle: number): Partial<StepMetrics>[] =>
      [-0.6, 0.6, -0.6, 0.6, -0.6, 0.6, -0.6, 0.6].map((swing) => ({ reward: middle + swing }));
    const steps = (...middles: number[]): StepMetrics[] =>
      middles.flatMap(swinging).map((reward, i) => ({ ...HEALTHY, ...reward, step: i + 1 }));
    expect(findCollapse(steps(2, 1.4))).toBeNull();
    expect(findCollapse(run({ reward: 2 }, { reward: 1.4 }))?.title).toBe('The run has collapsed');
    expect(findCollapse(steps(6, 0))?.title).toBe('The run has collapsed');
  });

  test('one bad step is no collapse', () => {
    expect(findCollapse([...run({ reward: 0.8 }, { reward: 0.8 }), { ...HEALTHY, reward: -1 }])).toBeNull();
  });

  test('reports a format that is being lost', () => {
    const collapse = findCollapse(run({ format: 0.95 }, { format: 0.5 }));
    expect(collapse?.title).toContain('format');
    expect(collapse?.text).toContain('50 %');
    expect(collapse?.text).toContain('95 %');
  });

  test('reports groups without signal only where answers are mostly wrong', () => {
    const flat = { fracMixed: 0, reward: -1 };
    expect(findCollapse(run({ ...flat, accuracy: 0.1 }, { ...flat, accuracy: 0.1 }))?.title).toContain(
      'learn from',
    );
    expect(findCollapse(run({ fracMixed: 0, accuracy: 1 }, { fracMixed: 0, accuracy: 1 }))).toBeNull();
  });

  test('waits for 16 steps before it says anything', () => {
    const falling = run({ reward: 1 }, { reward: -1 });
    expect(findCollapse(falling.slice(0, 15))).toBeNull();
    expect(findCollapse(falling)).not.toBeNull();
    expect(findCollapse([])).toBeNull();
  });

  test('groups of one answer carry no difference by nature where a moving baseline is used', () => {
    const metrics = run({ fracMixed: 0, accuracy: 0.2 }, { fracMixed: 0, accuracy: 0.2 });
    expect(findCollapseOf(metrics, true)?.title).toBe('Nothing to learn from');
    expect(findCollapseOf(metrics, false)).toBeNull();
  });

  test('notices a run that was only good for three steps', () => {
    const good = run({ reward: 0.3 }, { reward: -1, fracMixed: 0, accuracy: 0 }, { reward: -1 }).slice(5);
    expect(findCollapse(good.slice(0, 16))?.title).toBe('The run has collapsed');
  });

  test('with two answers a step a fall has to be larger than luck', () => {
    // 6 answers in the best stretch: four standard errors are 1.63.
    const few = { completionTokens: 20, meanLength: 10 };
    expect(findCollapse(run({ ...few, reward: 0.5 }, { ...few, reward: -0.4 }))).toBeNull();
    expect(findCollapse(run({ ...few, reward: 0.9 }, { ...few, reward: -0.9 }))).not.toBeNull();
  });
});
