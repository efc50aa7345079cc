/** Keeps the speed of this machine, as programs measured it that trained on it, for those that plan. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { machineRatesSchema, type MachineRates, type PlannedBackend } from '@rl-playground/run/plan';
import { cacheFolder } from '@rl-playground/engine/parts/node';

const USUAL_FILE = join(cacheFolder(), 'rates.json');

const keptSchema = z.object({ webgpu: machineRatesSchema.optional(), wasm: machineRatesSchema.optional() });
type Kept = z.infer<typeof keptSchema>;

function read(file: string): Kept {
  try {
    return keptSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Nothing was measured, or another version did.
    return {};
  }
}

/** Keeps rates in place of those that were measured before on that backend. */
export function keepMachineRates(backend: PlannedBackend, rates: MachineRates, file = USUAL_FILE): void {
  mkdirSync(dirname(file), { recursive: true });
  // Others may read it at this moment, or write it.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ ...read(file), [backend]: rates }));
  renameSync(draft, file);
}

/** Returns the rates; null if no run was measured on that backend. */
export function machineRates(backend: PlannedBackend, file = USUAL_FILE): MachineRates | null {
  return read(file)[backend] ?? null;
}
