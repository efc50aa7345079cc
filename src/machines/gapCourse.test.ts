import { expect, test } from 'vitest';
import { MOST_POINTS, withGap, type GapPoint } from './gapCourse.ts';

const point = (version: number, tokens: number, largest: number, mean: number): GapPoint => ({
  version,
  tokens,
  largest,
  mean,
});

test('answers of one version are one point, and late ones count with the newest', () => {
  const answers = [
    point(1, 10, 0.5, 0.1),
    point(1, 30, 0.2, 0.02),
    point(3, 5, 0.1, 0.1),
    point(2, 15, 0.4, 0.02),
  ];
  expect(answers.reduce(withGap, [] as readonly GapPoint[])).toEqual([
    { version: 1, tokens: 40, largest: 0.5, mean: expect.closeTo(0.04, 12) as number },
    { version: 3, tokens: 20, largest: 0.4, mean: expect.closeTo(0.04, 12) as number },
  ]);
});

test('of a long run neighbours are put together, and no token is lost', () => {
  let course: readonly GapPoint[] = [];
  for (let version = 0; version < 5000; version++) course = withGap(course, point(version, 2, version, 1));
  expect(course.length).toBeLessThanOrEqual(MOST_POINTS);
  expect(course.length).toBeGreaterThan(MOST_POINTS / 2 - 1);
  expect(course.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(10_000);
  expect(course.at(-1)).toMatchObject({ version: 4999, largest: 4999 });
  expect(course.map(({ version }) => version)).toEqual(
    course.map(({ version }) => version).toSorted((a, b) => a - b),
  );
});
