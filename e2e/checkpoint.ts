/** The tests take checkpoints apart and damage them. */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { unzipSync, zipSync } from 'fflate';
import type { PickedFile } from './page.ts';

const starterFolder = fileURLToPath(new URL('../public/models/starter/', import.meta.url));

/** The starter model's folder, as a map that `zipped` takes. */
export function starterFiles(): Map<string, Uint8Array> {
  return new Map(
    readdirSync(starterFolder).map((name) => [name, new Uint8Array(readFileSync(starterFolder + name))]),
  );
}

export function zipped(name: string, files: ReadonlyMap<string, Uint8Array>): PickedFile {
  return { name, bytes: zipSync(Object.fromEntries(files), { level: 0 }) };
}

export function unzipped({ bytes }: PickedFile): Map<string, Uint8Array> {
  return new Map(Object.entries(unzipSync(bytes)));
}

/** The parts of a checkpoint that a later step depends on: weights of policy and reference, optimizer and counters. Bytes are in hex. */
export function stateOf(checkpoint: PickedFile | ReadonlyMap<string, Uint8Array>): Record<string, string> {
  const files = 'bytes' in checkpoint ? unzipped(checkpoint) : checkpoint;
  const names = ['model.safetensors', 'reference.safetensors', 'optimizer.safetensors'];
  return Object.fromEntries(
    names.map((name) => {
      const bytes = files.get(name);
      if (bytes === undefined) throw new Error(`The checkpoint holds no ${name}.`);
      return [name, Buffer.from(bytes).toString('hex')];
    }),
  );
}
