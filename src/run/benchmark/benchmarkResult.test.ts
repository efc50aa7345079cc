import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  benchmarkOfLinked,
  figureOf,
  linkedBenchmark,
  plainLine,
  type BenchmarkResult,
} from './benchmarkResult.ts';

const RESULT: BenchmarkResult = {
  version: '0.1.0',
  day: '2026-11-30',
  browser: 'Chrome 150, Linux',
  backend: 'webgpu',
  software: false,
  name: 'NVIDIA hopper',
  vendor: 'nvidia',
  architecture: 'hopper',
  description: '',
  features: ['shader-f16', 'subgroups'],
  subgroups: [32, 32],
  threads: 1,
  productSize: 1024,
  figures: {
    copy: { median: 3210, least: 3100, most: 3300, repeats: 7 },
    product: { median: 12_000, least: 11_000, most: 12_500, repeats: 7 },
    rows: { median: 50_000, least: 49_000, most: 51_000, repeats: 7 },
    one: null,
    update: { median: 0.0312, least: 0.03, most: 0.033, repeats: 7 },
  },
};

/** The text of a link that another program writes. */
const foreign = (value: unknown): string => deflateRawSync(JSON.stringify(value)).toString('base64url');
const changed = (changes: object): string => foreign([1, { ...RESULT, ...changes }]);

describe('the result of a benchmark', () => {
  it('comes back from a link as it was, in characters that links leave alone', async () => {
    const text = await linkedBenchmark(RESULT);
    expect(text).toMatch(/^[\w-]+$/);
    expect(text.length).toBeLessThan(700);
    expect(await benchmarkOfLinked(text)).toEqual(RESULT);
    expect(await benchmarkOfLinked(foreign([1, RESULT]))).toEqual(RESULT);
  });

  it('is the median, the least and the most of its repeats, in four digits', () => {
    expect(figureOf([3, 1, 2, 10])).toEqual({ median: 2.5, least: 1, most: 10, repeats: 4 });
    expect(figureOf([12_345.6])).toEqual({ median: 12_350, least: 12_350, most: 12_350, repeats: 1 });
  });

  it('takes texts of the browser as one plain line', () => {
    expect(plainLine(' a\n\u202eb\u0000 ')).toBe('a  b');
    expect(plainLine('x'.repeat(200))).toHaveLength(100);
  });
});

describe('a link', () => {
  it.each([
    ['nothing', '', ''],
    ['no base64', '%%%', ''],
    ['a text that was cut', changed({}).slice(0, 80), ''],
    ['a megabyte of nothing', deflateRawSync(new Uint8Array(2 ** 21)).toString('base64url'), '1,048,576'],
    ['another format', foreign([2, RESULT]), 'it has format 2, and this page reads 1'],
    ['no result', foreign([1, 'fast']), ''],
    ['a task of somebody', foreign([{ name: 'Sums', rows: [] }]), ''],
    ['a field that does not exist', changed({ script: 'alert(1)' }), 'script'],
    ['a text of several lines', changed({ name: 'a\nb' }), 'name: is no plain line of text'],
    ['a text that turns its direction', changed({ vendor: 'a\u202eb' }), 'vendor: is no plain line'],
    ['a text without end', changed({ description: 'x'.repeat(101) }), 'description'],
    ['a day that does not exist', changed({ day: '2026-02-31' }), 'day'],
    ['a backend of tomorrow', changed({ backend: 'webnn' }), '"webnn" does not exist; choose one of: webgpu'],
    [
      'a median outside of its range',
      changed({ figures: { ...RESULT.figures, one: { median: 9, least: 1, most: 2, repeats: 3 } } }),
      'figures.one: has a median outside of its least and most',
    ],
    [
      'a figure below 0',
      changed({ figures: { ...RESULT.figures, one: { median: -1, least: -1, most: -1, repeats: 3 } } }),
      'figures.one.median: -1 is too small',
    ],
    [
      'a figure that is a text',
      changed({ figures: { ...RESULT.figures, one: { median: '9', least: 1, most: 9, repeats: 3 } } }),
      'figures.one.median',
    ],
  ])('is refused with a sentence: %s', async (_, text, reason) => {
    const refused = await benchmarkOfLinked(text).then(String, String);
    expect(refused).toMatch(/^Error: The link’s measurement can’t be read \(.+\)\. It may have been cut/);
    expect(refused).toContain(reason);
    expect(refused.length).toBeLessThan(500);
  });
});
