import { describe, expect, it } from 'vitest';
import { logAxis, logTicks, positionOf, sftSpan, stepPosition, updateAt } from './axes.ts';

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

describe('a log axis', () => {
  const ends = (values: readonly number[]): readonly number[] => {
    const axis = logAxis(values);
    return 'domain' in axis ? axis.domain : [];
  };

  it('ends at 1, 2 or 5 times a power of ten, with ticks there while it is short', () => {
    expect(ends([3, 7])).toEqual([2, 10]);
    expect(logTicks([2, 10])).toEqual([2, 5, 10]);
    expect(ends([0.02, 0.5])).toEqual([0.02, 0.5]);
    expect(logTicks([0.02, 0.5])).toEqual([0.02, 0.05, 0.1, 0.2, 0.5]);
  });

  it('has ticks at powers alone where it is long, six at most', () => {
    expect(ends([0.003, 0.4])).toEqual([0.002, 0.5]);
    expect(logTicks([0.002, 0.5])).toEqual([0.01, 0.1]);
    expect(ends([1e-6, 1e4])).toEqual([1e-6, 1e4]);
    expect(logTicks([1e-6, 1e4])).toEqual([1e-6, 1e-4, 0.01, 1, 100, 1e4]);
  });

  it('has two ends around a single value', () => {
    expect(ends([5])).toEqual([5, 10]);
  });

  it('is refused with the value that it can’t show', () => {
    expect(logAxis([1, 0, 2])).toEqual({ refusal: 'the lowest value is 0, and a log axis ends above 0' });
    expect(logAxis([-0.25])).toEqual({
      refusal: 'the lowest value is -0.25, and a log axis ends above 0',
    });
    expect(logAxis([])).toEqual({ refusal: 'there is nothing to draw yet' });
  });
});
