/** Where values stand in a chart, by hand. */
import { expect, test } from 'vitest';
import { pixel, plotOf } from './scales.ts';

const SIZE = { width: 366, height: 132 };
const axis = (low: number, high: number) => ({ domain: [low, high] as const });

test('the axes run along the edges of the plot: 52 pixels on the left, 14 on the right, 8 above, 24 below', () => {
  const plot = plotOf(SIZE, [-10, 40], { left: axis(0, 2), log: null });
  expect(plot).toMatchObject({ x: 52, y: 8, width: 300, height: 100 });
  expect([-10, 0, 40].map(plot.step)).toEqual([52, 112, 352]);
  expect([0, 0.5, 2].map(plot.left)).toEqual([108, 83, 8]);
  // Beyond an end the scale goes on.
  expect(plot.left(3)).toBe(-42);
  expect(plot.right).toBeNull();
});

test('a log axis gives each power the same room; a second axis has 52 pixels, too', () => {
  const log = axis(0.01, 100);
  const plot = plotOf({ width: 404, height: 132 }, [0, 1], { left: log, log, right: axis(-1, 1) });
  expect(plot.width).toBe(300);
  expect([0.01, 0.1, 1, 10, 100].map((value) => pixel(plot.left(value)))).toEqual([
    '108',
    '83',
    '58',
    '33',
    '8',
  ]);
  expect(plot.right?.(0)).toBe(58);
});

test('a log axis below gives each doubling the same room', () => {
  const plot = plotOf(SIZE, [1, 8], { left: axis(0, 1), log: null }, true);
  expect([1, 2, 4, 8].map((k) => pixel(plot.step(k)))).toEqual(['52', '152', '252', '352']);
});

test('an axis of one value has it in its middle', () => {
  expect(plotOf(SIZE, [0, 1], { left: axis(5, 5), log: null }).left(5)).toBe(58);
});
