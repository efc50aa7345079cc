import { describe, expect, it } from 'vitest';
import { domainsOf, logAxisOf } from './domains.ts';
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
    expect(domainsOf(spec(), rows([{ value: 3 }, { evaluation: 7 }]))).toEqual([[0, 8]]);
    expect(domainsOf(spec(), rows([{ value: 3, band: [-1, 9] }]))).toEqual([[-5, 10]]);
    expect(domainsOf(spec(), rows([{ value: 3 }, {}, { smooth: 15 }]))).toEqual([[0, 15]]);
    expect(domainsOf(spec({ level: { value: 20, label: '' } }), rows([{ value: 3 }]))).toEqual([[0, 20]]);
  });

  it('holds the sum of a stack, and one scale for each of two curves that have their own', () => {
    expect(domainsOf(spec({ shape: 'stack' }), rows([{ value: 3 }, { value: 5 }]))).toEqual([[0, 8]]);
    const two = spec({ twoScales: true, range: 'auto' });
    expect(domainsOf(two, rows([{ value: 4 }, { value: -1 }]))).toEqual([
      [0, 4],
      [-1, 0],
    ]);
  });
});

describe('a log axis', () => {
  it('is there for values above 0 alone, whatever their band', () => {
    expect(logAxisOf(spec(), rows([{ value: 3, band: [-1, 7] }, { value: 7 }]))).toMatchObject({
      domain: [2, 10],
    });
    expect(logAxisOf(spec(), rows([{ value: 3 }, { greedy: 0 }]))).toHaveProperty('refusal');
  });

  it('is not there for a stack', () => {
    expect(logAxisOf(spec({ shape: 'stack' }), rows([{ value: 3 }]))).toEqual({
      refusal: 'its layers stand on 0',
    });
  });
});
