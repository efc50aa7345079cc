import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../config/presets.ts';
import { metricsOf, type StepMetrics } from '../../rl/metrics/index.ts';
import { firstCrossing, goesOn } from './klCrossing.ts';

const CONFIG = defaultConfig('sum_digits');

/** A step for each v2, sampled on-policy and learned from in one update. */
function stepsWith(klsV2: readonly number[]): StepMetrics[] {
  const read = (v2: number) => (key: string) =>
    key === 'klSampleTrainV2' || key === 'klFirstUpdateV2' ? v2 : key === 'updates' ? 1 : 0;
  return klsV2.map((v2, i) => metricsOf(i + 1, [], [], ({ key }) => read(v2)(key)));
}

describe('firstCrossing', () => {
  it('finds the first step beyond 0.01, though the latest is back below', () => {
    const cause = firstCrossing(stepsWith([0.001, 0.02, 0.5, 0.001]), 0, CONFIG);
    expect(cause?.kind).toBe('mismatch');
    expect(cause?.text).toContain('Step 2');
  });

  it('looks at new steps alone', () => {
    const metrics = stepsWith([0.02, 0.001, 0.03]);
    expect(firstCrossing(metrics, 1, CONFIG)?.text).toContain('Step 3');
    expect(firstCrossing(metrics, 3, CONFIG)).toBeNull();
  });

  it('is silent on the line itself', () => {
    expect(firstCrossing(stepsWith([0.01, 0.0099]), 0, CONFIG)).toBeNull();
  });
});

describe('goesOn', () => {
  it('tells a longer log from another run', () => {
    const metrics = stepsWith([0, 0, 0]);
    expect(goesOn([], metrics)).toBe(true);
    expect(goesOn(metrics.slice(0, 2), metrics)).toBe(true);
    expect(goesOn(metrics, metrics.slice(0, 2))).toBe(false);
    expect(goesOn(metrics.slice(0, 2), stepsWith([0, 0, 0]))).toBe(false);
  });
});
