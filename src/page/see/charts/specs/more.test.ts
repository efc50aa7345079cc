import { describe, expect, it } from 'vitest';
import { defaultConfig } from '@rl-playground/run/settings';
import { METRICS, metricsOf, type StepMetrics } from '@rl-playground/run/metrics';
import { isDrawn, type Curve } from './spec.ts';
import { CHART_GROUPS } from './index.ts';
import { REWARD_CHARTS } from './rewards.ts';
import { equalRemark, OFF_POLICY_CHARTS } from './policy.ts';
import { overlapRemark } from './time.ts';

const CHARTS = CHART_GROUPS.flatMap(({ charts }) => charts);

/** A step with these values and 0 elsewhere. */
function stepWith(
  values: Readonly<Record<string, number | null>>,
  parts: StepMetrics['rewardParts'] = [],
): StepMetrics {
  return metricsOf(1, [], parts, ({ key }) => values[key] ?? (key in values ? null : 0));
}

/** The functions that read a chart's metrics, in their order: each curve's value, and its spread if it has one. */
const readersOf = (curves: readonly Curve[]) =>
  curves.flatMap(({ value, spread }) => (spread ? [value, spread] : [value]));

describe('charts', () => {
  it('have names of their own and say what each of their metrics is', () => {
    const ids = CHARTS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const known = METRICS.map(({ key }) => key);
    for (const { metrics, curves } of CHARTS) {
      expect(metrics).toHaveLength(readersOf(curves).length);
      expect(known).toEqual(expect.arrayContaining([...metrics]));
    }
  });

  it('draw the metrics that they name', () => {
    for (const { id, metrics, curves, format } of CHARTS) {
      const readers = readersOf(curves);
      metrics.forEach((key, index) => {
        // Percentages are drawn as shares, bytes as MiB.
        const scale = key.endsWith('Pct') ? 100 : key.endsWith('Bytes') ? 2 ** 20 : 1;
        const value = readers[index]?.(stepWith({ [key]: 0.25 * scale })) ?? NaN;
        expect([id, key, value]).toEqual([id, key, 0.25]);
        expect(format(value)).toMatch(/\d/);
      });
    }
  });

  it('draw the parts of a reward that has several', () => {
    const parts = [
      { part: 'correct', mean: 0.5, std: 0.1 },
      { part: 'format', mean: 0.75, std: 0 },
    ];
    const [chart] = REWARD_CHARTS.made?.([stepWith({}, parts)]) ?? [];
    expect(chart?.curves.map(({ name, value }) => [name, value(stepWith({}, parts))])).toEqual([
      ['correct', 0.5],
      ['format', 0.75],
    ]);
    expect(REWARD_CHARTS.made?.([stepWith({}, parts.slice(0, 1))])).toEqual([]);
  });

  it('leave out what a run has not got', () => {
    const shown = (id: string, values: Record<string, number | null>) =>
      CHARTS.filter((chart) => chart.id === id).map((chart) => isDrawn(chart, [stepWith(values)]))[0];
    expect(shown('clip', { clipLow: null, clipHigh: null })).toBe(false);
    expect(shown('clip', { clipLow: null, clipHigh: 0 })).toBe(true);
    expect(CHARTS.every((chart) => isDrawn(chart, []))).toBe(true);
  });
});

describe('remarks', () => {
  it('say how much of a step sampling and training shared at least', () => {
    const text = (trainerBusyShare: number | null, generatorsBusyShare: number) =>
      overlapRemark([stepWith({ trainerBusyShare, generatorsBusyShare })])?.text;
    // 0.62 + 0.91 − 1 = 0.53
    expect(text(0.62, 0.91)).toContain('at least 53%');
    expect(text(0.4, 0.6)).toContain('no more than the step');
    expect(text(null, 0.6)).toBeUndefined();
  });

  it('say how many tokens sampler and trainer rate alike, and that older weights count', () => {
    const text = (values: Readonly<Record<string, number | null>>) => equalRemark([stepWith(values)])?.text;
    expect(text({ mismatchExact: 153, mismatchTokens: 1224, policyAgeMax: 0 })).toMatch(
      /12\.5% of 1,224 tokens\.$/,
    );
    expect(text({ mismatchExact: 0, mismatchTokens: 10, policyAgeMax: 2 })).toContain('Older weights');
    expect(text({ mismatchExact: 0, mismatchTokens: 0 })).toBeUndefined();
    expect(text({ mismatchExact: null, mismatchTokens: null })).toBeUndefined();
    expect(equalRemark([])).toBeNull();
  });

  it('name the cause of a KL beyond the line', () => {
    const remark = OFF_POLICY_CHARTS.charts.find(({ id }) => id === 'kl-sample-train')?.remark;
    const config = defaultConfig('sum_digits');
    const beyond = stepWith({ klSampleTrainV2: 0.02, klFirstUpdateV2: 0.02, updates: 1 });
    expect(remark?.([beyond], config)?.spoken).toBe('Generators and trainer disagree.');
    expect(remark?.([stepWith({ klSampleTrainV2: 0.005 })], config)).toBeNull();
  });
});
