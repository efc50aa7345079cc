import { expect, test } from 'vitest';
import { chosenParts } from '../gpu.ts';
import { benchRow } from './benchParts.ts';
import { bandwidthRow, footprintRows } from './modelParts.ts';
import { allParts } from './parts.ts';
import { lacking } from './place.ts';
import { withoutPage } from './setup.ts';

test('a row of the benchmark has medians, and the reason where somebody failed', () => {
  const spread = (median: number) => ({ median, min: 1, max: 9, unit: 'ms' });
  const result = { name: 'training step', shape: '64 rollouts', ratio: {}, target: {} };
  expect(
    benchRow({
      ...result,
      ours: spread(5),
      peers: { tfjs: spread(7) },
      devices: { torch: 'CUDA' },
      errors: { 'jax-js': 'lost' },
      fault: 'Over 100 %.',
    }),
  ).toEqual({
    name: 'training step',
    shape: '64 rollouts',
    value: 5,
    unit: 'ms',
    peers: { tfjs: 7 },
    note: 'torch: CUDA; jax-js: lost; Over 100 %.',
    details: spread(5),
  });
  expect(benchRow({ ...result, ours: null, peers: {}, errors: { ours: 'no device' } })).toEqual({
    name: 'training step',
    shape: '64 rollouts',
    failed: 'no device',
  });
});

test('the lines of a footprint give its phases', () => {
  const lines = [
    'loaded in 2.2 s; peak: renderer 535 MB, GPU process 900 MB; held without garbage: renderer 500 MB',
    'step 3: 0.52 s (sampling 0.21, training 0.30), KL of sampler and trainer 1.0e-12, renderer 535 MB, GPU process 1 MB',
    'GPU buffers of the page: 1069 MB at most, 900 MB at the end',
    'held without garbage: renderer 500 MB; ',
  ];
  expect(lines.flatMap(footprintRows)).toEqual([
    { name: 'loading', value: 2.2, unit: 's' },
    { name: 'a step', shape: 'step 3', value: 0.52, unit: 's' },
    { name: 'sampling', shape: 'step 3', value: 0.21, unit: 's' },
    { name: 'training', shape: 'step 3', value: 0.3, unit: 's' },
    { name: 'GPU memory of the trainer, peak', value: 1069, unit: 'MB' },
  ]);
});

test('the share of bandwidth is bytes of weights times tokens a second over the copy rate', () => {
  // 269 MB x 500 tokens/s are 134.5 GB/s, of 4 TB/s.
  expect(bandwidthRow(269e6, 500, 4e12).value).toBeCloseTo(3.3625, 10);
});

test('what is missing is said with what it costs', () => {
  const place = { browser: '/usr/bin/chromium', hasDawn: false, isBuilt: true, pythonLacks: null };
  expect(lacking(place)).toEqual([]);
  const bare = lacking({ browser: null, hasDawn: true, isBuilt: false, pythonLacks: 'python3 lacks peft.' });
  expect(bare).toEqual([
    expect.stringMatching(/^There is no Chromium: only the adapter and the kernels .* CHROME_PATH/),
    expect.stringMatching(/^The pages are not built/),
    'There is no peer in Python: python3 lacks peft.',
  ]);
  expect(lacking({ ...place, browser: null })).toEqual([expect.stringMatching(/nothing can run/)]);
});

test('parts come in the order in which they are wanted, and one of them behind the adapter', () => {
  const place = { browser: null, hasDawn: false, isBuilt: true, pythonLacks: null };
  const words = { rehearse: false, model: null, python: null, without: null };
  const parts = allParts({ ...words, place, adapter: null });
  const order =
    'adapter kernels sampler run gemm ops train rollout step load rows 135m 0.5b grpo transformers.js';
  const named = (names?: readonly string[]): string =>
    chosenParts(parts, names)
      .map(({ name }) => name)
      .join(' ');
  expect(named()).toBe(order);
  expect(named(['rows', 'kernels'])).toBe('adapter kernels rows');
  expect(() => named(['row'])).toThrow(`There is no part row; there are ${order.replaceAll(' ', ', ')}.`);
});

test('without a GPU no part begins, and with a software adapter none but in a rehearsal', () => {
  const report = { info: {}, features: [], limits: {}, language: [], subgroupSizes: [] };
  const place = { browser: '/usr/bin/chromium', hasDawn: false, isBuilt: true, pythonLacks: null };
  const setup = { rehearse: false, model: null, python: null, without: null, place, adapter: null };
  expect(withoutPage(setup)).toBe('no GPU adapter was found.');
  const software = { ...setup, adapter: { ...report, software: true } };
  expect(withoutPage(software)).toMatch(/^only a software adapter was found; --rehearse/);
  expect(withoutPage({ ...software, rehearse: true })).toBeNull();
  const hardware = { ...setup, adapter: { ...report, software: false } };
  expect(withoutPage(hardware)).toBeNull();
  expect(withoutPage({ ...hardware, place: { ...place, browser: null } })).toBe('there is no Chromium.');
});
