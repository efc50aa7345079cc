import { expect, test } from 'vitest';
import { gemmCandidates, planFor, planName, type GemmDevice } from './plan.ts';

const hardware: GemmDevice = {
  key: 'some GPU',
  software: false,
  vendor: 'nvidia',
  subgroups: true,
  cores: 8,
  maxInvocations: 1024,
  maxWorkgroupBytes: 32_768,
};

const nameFor = (device: GemmDevice, m: number, n: number, k: number): string =>
  planName(planFor('nn', { m, n, k }, device, null));

test('hardware shares loads in workgroup memory, Apple in registers, and a single row in neither', () => {
  expect(nameFor(hardware, 4096, 1536, 576)).toBe('tiled 64x64/4x4');
  expect(nameFor(hardware, 32, 1536, 576)).toBe('tiled 32x32/4x4');
  expect(nameFor(hardware, 1, 1536, 576)).toBe('direct 1x4/64');
  expect(nameFor({ ...hardware, vendor: 'apple' }, 4096, 1536, 576)).toBe('direct 4x4/64');
});

test('a software adapter takes large tiles where they are filled, small ones for few rows', () => {
  const software = { ...hardware, software: true };
  expect(nameFor(software, 4096, 192, 64)).toBe('quads 16x4/16');
  expect(nameFor(software, 1, 1536, 576)).toBe('direct 1x4/16');
  expect(nameFor({ ...software, subgroups: false }, 4096, 192, 64)).toBe('direct 16x16/16');
});

test('no plan asks for more than a device has, whatever the layout', () => {
  const small = { ...hardware, maxInvocations: 64, maxWorkgroupBytes: 3000 };
  for (const layout of ['nn', 'nt', 'tn'] as const) {
    const names = gemmCandidates(layout, small).map(planName);
    expect(names).toContain('tiled 32x32/4x4');
    expect(names.filter((name) => name.includes('64x64') || name.includes('128x128'))).toEqual([]);
    expect(planName(planFor(layout, { m: 4096, n: 1536, k: 64 }, small, null))).toBe('tiled 32x32/4x4');
  }
});
