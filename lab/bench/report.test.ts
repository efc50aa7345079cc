import { expect, test } from 'vitest';
import { figure, rowText, targetOutcomes, targetTable } from './report.ts';
import type { BenchResult } from './types.ts';

const result: BenchResult = {
  name: 'gemm NN',
  shape: 'a|b',
  ours: { median: 12.345, min: 10, max: 1234.5, unit: 'GFLOP/s' },
  peers: { tfjs: { median: 3, min: 2, max: 4, unit: 'GFLOP/s' } },
  ratio: { tfjs: 4.115 },
  target: { tfjs: 4, 'jax-js': 1.5 },
  errors: { 'jax-js': 'no device' },
};
const beside: BenchResult = {
  ...result,
  peers: { torch: { median: 3, min: 2, max: 4, unit: 'GFLOP/s' } },
  ratio: { torch: 4.115 },
  devices: { torch: 'torch 2.15 on the CPU' },
  errors: {},
};

test('figures have three significant digits, and no fraction above a hundred', () => {
  expect([0.012345, 1.2345, 12.345, 1234.5, 0].map(figure)).toEqual(['0.0123', '1.23', '12.3', '1235', '0']);
});

test('a target is reached, not measured beside a peer that failed, and left out for one that was not there', () => {
  expect(targetOutcomes(result)).toEqual([
    { against: 'tfjs', value: 4.115, target: 4, reached: true },
    { against: 'jax-js', value: null, target: 1.5, reached: null },
  ]);
  const { errors: _, ...without } = result;
  expect(targetOutcomes(without).map(({ against }) => against)).toEqual(['tfjs']);
});

test('a bound on our own figure holds from the side that its unit implies', () => {
  const bound = (unit: string, median: number) =>
    targetOutcomes({
      ...result,
      ours: { median, min: median, max: median, unit },
      target: { ours: 15 },
    }).map(({ reached }) => reached);
  expect([bound('%', 14), bound('%', 16), bound('GB/s', 14), bound('GB/s', 16)].flat()).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test('a row says figures, spread, ratio and errors, a line for each participant', () => {
  expect(rowText(result).split('\n')).toEqual([
    'gemm NN  a|b',
    '  ours            12.3 GFLOP/s (10.0–1235)',
    '  tfjs            3.00 GFLOP/s (2.00–4.00)  ours 4.12x',
    '  jax-js          no device',
  ]);
  expect(rowText(beside).split('\n')[2]).toBe(
    '  torch           3.00 GFLOP/s (2.00–4.00)  ours 4.12x  (torch 2.15 on the CPU)',
  );
});

test('a row says its fault below its figure', () => {
  expect(rowText({ ...result, fault: 'It can’t be.' }).split('\n')[2]).toBe('  FAULT           It can’t be.');
});

test('the table of targets has a line for each', () => {
  expect(targetTable([result]).split('\n').slice(2)).toEqual([
    '| gemm NN | a|b | 12.3 GFLOP/s | tfjs | 4.12x | 4.00x | reached |',
    '| gemm NN | a|b | 12.3 GFLOP/s | jax-js | – | 1.50x | not measured |',
  ]);
  const failed = { ...result, ours: null, peers: {}, ratio: {}, errors: { ours: 'no device' } };
  expect(targetTable([failed])).toContain('| failed | tfjs | – | 4.00x | NOT REACHED |');
  expect(targetTable([{ ...result, target: {} }])).toBe('');
});
