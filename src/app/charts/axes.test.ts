import { describe, expect, it } from 'vitest';
import { logAxis, niceDomain, positionOf, sftSpan, stepPosition, stepTicks, updateAt } from './axes.ts';

describe('the span of a warm-up', () => {
  it('takes one step for each update as long as it is short', () => {
    const span = sftSpan(5, 60);
    expect(span).toEqual({ updates: 5, width: 5 });
    expect([1, 4, 5].map((update) => positionOf(update, span))).toEqual([-4, -1, 0]);
  });

  it('takes a third of what reinforcement has when it is long', () => {
    const span = sftSpan(500, 60);
    expect(span.width).toBe(20);
    // 250 of 500 updates to go at half of the width.
    expect(positionOf(250, span)).toBe(-10);
    expect(positionOf(500, span)).toBe(0);
  });

  it('has the steps of the log where their updates are', () => {
    const span = sftSpan(500, 60);
    // Step -100 of the log is after update 400, one fifth of the width before the border.
    expect(stepPosition(-100, span)).toBe(positionOf(400, span));
    expect([-500, 0, 7].map((step) => stepPosition(step, span))).toEqual([-20, 0, 7]);
  });

  it('is nothing without updates', () => {
    expect(sftSpan(0, 60).width).toBe(0);
  });

  it('gives every update back from its position', () => {
    const span = sftSpan(733, 41);
    const updates = Array.from({ length: 733 }, (_, i) => i + 1);
    expect(updates.map((update) => updateAt(positionOf(update, span), span))).toEqual(updates);
  });
});

describe('stepTicks', () => {
  it.each([
    [60, [0, 20, 40, 60]],
    [1, [0, 1]],
    [4, [0, 1, 2, 3, 4]],
    [150, [0, 50, 100, 150]],
    [19, [0, 5, 10, 15]],
    [100_000, [0, 50_000, 100_000]],
  ])('of %i steps are round', (lastStep, ticks) => {
    expect(stepTicks(lastStep, 4)).toEqual(ticks);
  });
});

describe('niceDomain', () => {
  it.each([
    [0, 1, 0, 1],
    [-0.5, 1, -0.5, 1],
    // Quarters would take five parts.
    [-0.1, 0.9, -0.5, 1],
    [0, 31_873, 0, 40_000],
    [-1.31, 0.83, -2, 1],
    [0, 0.000_299, 0, 0.0003],
    // In floating point 0.3 / 0.05 is less than 6.
    [0.3, 0.5, 0.3, 0.5],
    [-0.002, 0.01, -0.005, 0.01],
    [48, 52, 48, 52],
  ])('takes %f to %f from %f to %f', (low, high, bottom, top) => {
    const found = niceDomain(low, high);
    expect(found[0]).toBeCloseTo(bottom, 12);
    expect(found[1]).toBeCloseTo(top, 12);
  });

  it('gives values that are all the same an axis from 0', () => {
    expect(niceDomain(0, 0)).toEqual([0, 0.01]);
    expect(niceDomain(0.583, 0.583)).toEqual([0, 0.6]);
    expect(niceDomain(-2, -2)).toEqual([-2, 0]);
  });

  it('has an axis where there are no values', () => {
    expect(niceDomain(Infinity, -Infinity)).toEqual([0, 0.01]);
  });
});

describe('a log axis', () => {
  it('ends at 1, 2 or 5 times a power of ten, with ticks there while it is short', () => {
    expect(logAxis([3, 7])).toEqual({ domain: [2, 10], ticks: [2, 5, 10] });
    expect(logAxis([0.02, 0.5])).toEqual({ domain: [0.02, 0.5], ticks: [0.02, 0.05, 0.1, 0.2, 0.5] });
  });

  it('has ticks at powers alone where it is long, six at most', () => {
    expect(logAxis([0.003, 0.4])).toEqual({ domain: [0.002, 0.5], ticks: [0.01, 0.1] });
    expect(logAxis([1e-6, 1e4])).toEqual({ domain: [1e-6, 1e4], ticks: [1e-6, 1e-4, 0.01, 1, 100, 1e4] });
  });

  it('has two ends around a single value', () => {
    expect(logAxis([5])).toEqual({ domain: [5, 10], ticks: [5, 10] });
  });

  it('is refused with the value that it can’t show', () => {
    expect(logAxis([1, 0, 2])).toEqual({ refusal: 'the lowest value is 0, and a log axis ends above 0' });
    expect(logAxis([-0.25])).toEqual({
      refusal: 'the lowest value is -0.25, and a log axis ends above 0',
    });
    expect(logAxis([])).toEqual({ refusal: 'there is nothing to draw yet' });
  });
});
