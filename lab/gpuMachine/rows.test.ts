import { expect, test } from 'vitest';
import { isFailure, readRows, rowLine, rowsTable, type WrittenRow } from './rows.ts';

const begun = '2026-11-30T02:00:00.000Z';
const ROWS: WrittenRow[] = [
  { part: 'adapter', begun, at: 1, name: 'card', note: 'NVIDIA H200, 580.65' },
  {
    part: 'gemm',
    begun,
    at: 61.4,
    name: 'gemm NN square',
    shape: '512 x 512 x 512',
    value: 8123.456,
    unit: 'GFLOP/s',
    peers: { tfjs: 910.04 },
  },
  { part: 'sampler', begun, at: 70, name: 'largest difference', value: 3.81e-5, unit: 'nats', bound: 1e-3 },
  { part: 'grpo', begun, at: 80, name: 'part', skipped: 'it needs --model, a real one.' },
];
const TEXT = ROWS.map((row) => `${JSON.stringify(row)}\n`).join('');

test('rows are read back as they were written, without a line that was cut off', () => {
  expect(readRows(`${TEXT}{"part":"rows","at":9`)).toEqual(ROWS);
  expect(() => readRows(`${TEXT}{"part":"rows","at":9\n`)).toThrow(/JSON/);
});

test('a row is a line for a person', () => {
  expect(ROWS.map(rowLine)).toEqual([
    '   1 s  adapter: card: NVIDIA H200, 580.65',
    '  61 s  gemm: gemm NN square 512 x 512 x 512: 8123 GFLOP/s (tfjs 910)',
    '  70 s  sampler: largest difference: 3.81e-5 nats (at most 0.001)',
    '  80 s  grpo: part: skipped: it needs --model, a real one.',
  ]);
});

test('the table has the machine above it, and no cell ends another', () => {
  const failed = { part: 'kernels', begun, at: 2, name: 'q | k | v', failed: 'expected\n  1' };
  expect(rowsTable([...ROWS.slice(0, 2), failed])).toBe(
    [
      'card: NVIDIA H200, 580.65',
      '',
      '| Part | What | Sizes | Here | Others |',
      '| --- | --- | --- | --- | --- |',
      '| gemm | gemm NN square | 512 x 512 x 512 | 8123 GFLOP/s | tfjs 910 |',
      '| kernels | q \\| k \\| v |  | FAILED: expected 1 |  |',
    ].join('\n'),
  );
});

test('errors fail, and figures above their bound or without a value', () => {
  const row = { name: 'largest difference', bound: 1e-3 };
  const found = [
    { ...row, value: 1e-3 },
    { ...row, value: 2e-3 },
    { ...row, value: NaN },
    row,
    { name: 'part', failed: 'no device' },
    { name: 'part', skipped: 'no Chromium' },
  ].map(isFailure);
  expect(found).toEqual([false, true, true, true, true, false]);
});

test('a part that was measured again is in the table with its last rows alone', () => {
  const row = { begun, at: 1, unit: 'GFLOP/s' };
  const again = { ...row, begun: '2026-11-30T03:00:00.000Z' };
  const rows: WrittenRow[] = [
    { ...row, part: 'gemm', name: 'square', value: 1 },
    { ...row, part: 'gemm', name: 'part', note: 'ended at its limit of 50 s' },
    { ...row, part: 'ops', name: 'RMSNorm', value: 2 },
    { ...again, part: 'gemm', name: 'square', value: 3 },
  ];
  expect(rowsTable(rows).split('\n').slice(4)).toEqual([
    '| ops | RMSNorm |  | 2 GFLOP/s |  |',
    '| gemm | square |  | 3 GFLOP/s |  |',
  ]);
});
