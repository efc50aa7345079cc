import { describe, expect, it } from 'vitest';
import {
  clock,
  compact,
  count,
  fixed,
  parameterCount,
  percent,
  shareWithin,
  signed,
  signedTick,
} from './format.ts';

describe('number formats', () => {
  it('writes shares as percent', () => {
    expect(percent(0.6125)).toBe('61.3%');
    expect(percent(1)).toBe('100.0%');
    expect(percent(0.5, 0)).toBe('50%');
    expect(percent(null)).toBe('–');
    expect(percent(Number.NaN)).toBe('–');
    expect(shareWithin(0.5, { low: 0.25, high: 0.75, half: 0.25 })).toBe('50.0% (25.0–75.0)');
    expect(shareWithin(1, null)).toBe('100.0%');
  });

  it('uses a true minus sign and never a signed zero', () => {
    expect(fixed(-0.345, 1)).toBe('\u22120.3');
    expect(fixed(-0.001)).toBe('0.00');
    expect(signed(0.5)).toBe('+0.50');
    expect(signed(-1)).toBe('\u22121.00');
    expect(signed(0.004)).toBe('0.00');
    expect(signed(0)).toBe('0.00');
  });

  it('writes neighbours on an axis differently', () => {
    expect([-0.5, 0, 0.5, 1].map(signedTick)).toEqual(['\u22120.5', '0', '+0.5', '+1']);
    expect([0, 0.25, 0.75].map(signedTick)).toEqual(['0', '+0.25', '+0.75']);
  });

  it('keeps three significant digits', () => {
    expect(compact(0.012345)).toBe('0.0123');
    expect(compact(1234.5)).toBe('1230');
    expect(compact(0.0000321)).toBe('3.2e\u22125');
    expect(compact(-2_000_000)).toBe('\u22122.0e6');
    expect(compact(0)).toBe('0');
  });

  it('counts and sizes', () => {
    expect(count(1_234_567)).toBe('1,234,567');
    expect(parameterCount(412_345)).toBe('412\u202fk');
    expect(parameterCount(1_234_567)).toBe('1.23\u202fM');
    expect(parameterCount(12)).toBe('12');
  });

  it('writes times as a clock', () => {
    expect(clock(6.6)).toBe('0:07');
    expect(clock(59.6)).toBe('1:00');
    expect(clock(125)).toBe('2:05');
    expect(clock(3725)).toBe('1:02:05');
    expect(clock(null)).toBe('–');
  });
});
