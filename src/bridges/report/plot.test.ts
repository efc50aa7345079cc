import { expect, it } from 'vitest';
import { plotOf } from './plot.ts';

const OPTIONS = { width: 156, height: 130, range: [0, 1], lastStep: 10 } as const;

it('puts steps and values where the axes say', () => {
  const points = [
    { step: 0, value: 0 },
    { step: 5, value: null },
    { step: 10, value: 1 },
  ];
  const { lines, steps, values } = plotOf([{ name: 'a', colour: 'red', points }], OPTIONS);
  // 100 × 100 pixels from (46, 8) to (146, 108); the gap is bridged.
  expect(lines[0]?.measured).toBe('M46 108L146 8');
  // (0.8·0 + 1) / 1.8 of 100 pixels.
  expect(lines[0]?.average).toBe('M46 108L146 52.4');
  expect(steps.map(({ x, step }) => [x, step])).toEqual([0, 2, 4, 6, 8, 10].map((s) => [46 + 10 * s, s]));
  expect(values.map(({ value }) => value)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  expect(values.map(({ y }) => y)).toEqual([108, 83, 58, 33, 8]);
});

it('draws an interval as an outline, marks where they are, and a single value as a dot', () => {
  const at = (value: number) => [{ step: 10, value }];
  const line = { name: 'a', colour: 'red', points: at(0.5), marks: at(1) };
  const { lines } = plotOf([{ ...line, interval: { low: at(0), high: at(1) } }], OPTIONS);
  expect(lines[0]).toMatchObject({
    measured: 'M146 58h0',
    area: 'M146 8L146 108Z',
    marks: [{ x: 146, y: 8 }],
  });
});

it('grows with what lies outside of its range, and has axes without any values', () => {
  const points = [{ step: 1, value: 7 }];
  expect(plotOf([{ name: 'a', colour: 'red', points }], OPTIONS).values.at(-1)?.value).toBe(8);
  const empty = plotOf([], { ...OPTIONS, range: [null, null] });
  expect(empty.values[0]?.value).toBe(0);
});
