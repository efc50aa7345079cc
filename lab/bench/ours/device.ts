/** Ours: the device it runs on. This folder is the only place of the benchmark that knows our own interfaces. */
import { startBackend } from '@rl-playground/engine/parts/tensors';
import type { Environment } from '../types.ts';

/** One line on what it computes with. */
export async function startOurs({ backend, wasmPath, threads }: Environment): Promise<string> {
  const { line } = await startBackend(backend, { wasmPath, threads });
  return line;
}
