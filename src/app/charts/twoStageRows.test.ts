import { expect, it } from 'vitest';
import { twoStageRows } from './twoStageRows.ts';
import { sftSpan } from './sftSpan.ts';

it('puts supervised updates left of the steps of reinforcement, each smoothed on its own', () => {
  const steps = [
    { step: 1, value: 0.5 },
    { step: 2, value: -0.5 },
  ];
  const rows = twoStageRows([4, 2, 1], steps, sftSpan(4, 60));
  expect(rows.map(({ step }) => step)).toEqual([-3, -2, -1, 1, 2]);
  expect(rows.map(({ taught }) => taught)).toEqual([4, 2, 1, undefined, undefined]);
  expect(rows.map(({ policy }) => policy)).toEqual([undefined, undefined, undefined, 0.5, -0.5]);
  // (0.8·4 + 2) / 1.8; the policy loss begins anew.
  expect(rows[1]?.taughtSmooth).toBeCloseTo(5.2 / 1.8, 12);
  expect(rows[3]?.policySmooth).toBe(0.5);
});

it('has no rows before the first update', () => {
  expect(twoStageRows([], [], sftSpan(100, 20))).toEqual([]);
});
