import { describe, expect, it } from 'vitest';
import { domainOf } from './domains.ts';
import type { ChartRow, CurvePoint } from './specs/rows.ts';
import { PLAIN, type ChartSpec } from './specs/spec.ts';

const curve = (name: string) => ({ name, colour: 'blue', value: () => null });
const spec = (changes: Partial<ChartSpec> = {}): ChartSpec => ({
  id: 'a',
  title: 'A',
  unit: '',
  reading: '',
  metrics: [],
  curves: [curve('a'), curve('b')],
  ...PLAIN,
  ...changes,
});
const rows = (...points: readonly (readonly CurvePoint[])[]): ChartRow[] =>
  points.map((curves, step) => ({ step, curves }));

describe('a linear axis', () => {
  it('holds values, evaluations, bands, other runs and the level', () => {
    expect(domainOf(spec(), rows([{ value: 3 }, { evaluation: 7 }]))).toEqual([0, 8]);
    expect(domainOf(spec(), rows([{ value: 3, band: [-1, 9] }]))).toEqual([-5, 10]);
    expect(domainOf(spec(), rows([{ value: 3 }, {}, { smooth: 15 }]))).toEqual([0, 15]);
    expect(domainOf(spec({ level: { value: 20, label: '' } }), rows([{ value: 3 }]))).toEqual([0, 20]);
  });

  it('holds the sum of a stack', () => {
    expect(domainOf(spec({ shape: 'stack' }), rows([{ value: 3 }, { value: 5 }]))).toEqual([0, 8]);
  });
});
