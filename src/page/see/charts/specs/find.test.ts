import { describe, expect, it } from 'vitest';
import { METRICS } from '@rl-playground/run/metrics';
import { stepMetricsWith } from '@rl-playground/run/testing/stepMetrics';
import { findMetrics, metricChart } from './find.ts';

const labels = (query: string) => findMetrics(query).map(({ label }) => label);

describe('the search', () => {
  it('finds by name, by name in logs and by what is said of a metric', () => {
    expect(labels('gradient norm')[0]).toBe('Gradient norm');
    expect(labels('env/all/correct')[0]).toBe('Accuracy');
    // Words of the formula, in any order and case.
    expect(labels('answer EXTRACTED')).toContain('Accuracy');
    expect(labels('no such metric')).toEqual([]);
  });

  it('has what is called so before what merely mentions it', () => {
    const found = findMetrics('reward');
    const isCalled = found.map(({ label, names }) => /reward/i.test([label, ...names].join(' ')));
    expect(isCalled[0]).toBe(true);
    expect(isCalled.lastIndexOf(true)).toBeLessThan(isCalled.indexOf(false));
  });

  it('finds every metric, each with a chart that draws it', () => {
    const found = findMetrics(' ');
    expect(found).toHaveLength(METRICS.length);
    for (const metric of METRICS) {
      expect(found).toContain(metric);
      const chart = metricChart(metric);
      expect(chart.curves[0]?.value(stepMetricsWith({ [metric.key]: 0.25 }))).toBe(0.25);
      expect(chart.format(0.25)).toMatch(/\d/);
    }
  });
});
