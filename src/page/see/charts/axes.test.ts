import { describe, expect, it } from 'vitest';
import { sftSpan, stepPosition } from './axes.ts';

describe('the span of a warm-up', () => {
  it('takes one step for each update as long as it is short', () => {
    const span = sftSpan(5, 60);
    expect(span).toEqual({ updates: 5, width: 5 });
    expect([-4, -1, 0].map((step) => stepPosition(step, span))).toEqual([-4, -1, 0]);
  });

  it('takes a third of what reinforcement has when it is long', () => {
    const span = sftSpan(500, 60);
    expect(span.width).toBe(20);
    // 250 of 500 updates to go at half of the width.
    expect(stepPosition(-250, span)).toBe(-10);
  });

  it('has the steps of the log where their updates are', () => {
    const span = sftSpan(500, 60);
    // Step -100 of the log is after update 400, one fifth of the width before the border.
    expect(stepPosition(-100, span)).toBe(-4);
    expect([-500, 0, 7].map((step) => stepPosition(step, span))).toEqual([-20, 0, 7]);
  });

  it('is nothing without updates', () => {
    expect(sftSpan(0, 60).width).toBe(0);
  });
});
