import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepMachineRates, machineRates } from './machineRates.ts';

test('each backend has the rates that were kept last; a file that says something else has none', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'rates-')), 'cache', 'rates.json');
  const [slow, fast] = [
    { trainFlops: 1e9, decodeFlops: 2e9 },
    { trainFlops: 3e9, decodeFlops: 4e9 },
  ];
  expect(machineRates('wasm', file)).toBeNull();
  keepMachineRates('wasm', slow, file);
  keepMachineRates('webgpu', slow, file);
  keepMachineRates('wasm', fast, file);
  expect([machineRates('wasm', file), machineRates('webgpu', file)]).toEqual([fast, slow]);
  writeFileSync(file, '{"wasm":{"trainFlops":0}}');
  expect(machineRates('wasm', file)).toBeNull();
});
