import { expect, it } from 'vitest';
import type { BenchmarkResult } from '@rl-playground/run/benchmark';
import { benchmarkMarkdown, benchmarkRows } from './benchmarkTable.ts';

const CPU: BenchmarkResult = {
  version: '0.1.0',
  day: '2026-11-30',
  browser: 'Chrome 150, Linux',
  backend: 'wasm',
  software: false,
  name: 'CPU',
  vendor: '',
  architecture: '',
  description: '',
  features: [],
  subgroups: null,
  threads: 2,
  productSize: 256,
  figures: {
    copy: { median: 7.4567, least: 7.1, most: 8, repeats: 3 },
    product: { median: 31.04, least: 30, most: 32.5, repeats: 3 },
    rows: { median: 12_345.6, least: 12_000, most: 13_000, repeats: 3 },
    one: { median: 999.6, least: 999.6, most: 999.6, repeats: 1 },
    update: null,
  },
};
const GPU: BenchmarkResult = {
  ...CPU,
  backend: 'webgpu',
  name: 'Bad | <GPU> [x](y)',
  vendor: 'nvidia',
  architecture: 'hopper',
  features: ['shader-f16', 'subgroups'],
  subgroups: [8, 32],
  threads: 1,
  productSize: 1024,
};

it('says what was measured, each result in its column', () => {
  const rows = Object.fromEntries(benchmarkRows([CPU, GPU]).map(({ label, values }) => [label, values]));
  expect(rows).toEqual({
    Device: ['CPU', 'Bad | <GPU> [x](y)'],
    'Vendor, architecture, description': ['not told', 'nvidia · hopper'],
    Backend: ['CPU (WebAssembly), 2 threads', 'WebGPU'],
    Features: ['none', 'shader-f16, subgroups, subgroups of 8 to 32'],
    Browser: ['Chrome 150, Linux', 'Chrome 150, Linux'],
    'Copying memory, GB/s': Array(2).fill('7.46 (7.1–8)'),
    'Matrix product, GFLOP/s': ['31 (30–32.5) at 256³', '31 (30–32.5) at 1024³'],
    'Sampling 64 answers, tokens/s': Array(2).fill('12,346 (12,000–13,000)'),
    'Sampling one answer, tokens/s': Array(2).fill('1,000 (1 try)'),
    'One update on 64 answers, s': Array(2).fill('no time left'),
    Measured: Array(2).fill('2026-11-30, version 0.1.0'),
  });
});

it('is a row for a document, in which a name stays a name', () => {
  expect(benchmarkMarkdown(GPU, 'https://example.org/#device=abc')).toBe(
    [
      '| Device | Browser | Copying memory, GB/s | Matrix product, GFLOP/s | Sampling 64 answers, tokens/s | Sampling one answer, tokens/s | One update on 64 answers, s | Measured |',
      '| --- | --- | --- | --- | --- | --- | --- | --- |',
      '| [Bad \\| \\<GPU\\> \\[x\\](y)](https://example.org/#device=abc), WebGPU | Chrome 150, Linux | 7.46 | 31 at 1024³ | 12,346 | 1,000 | no time left | 2026-11-30, version 0.1.0 |',
    ].join('\n'),
  );
});
