/** What a participant is told about the place it runs in. */
import type { ModelFiles } from '../../hub/types.ts';
import type { BackendName } from '../types.ts';

export interface Environment {
  readonly backend: BackendName;
  /** Folder of tfjs' wasm files, with the closing slash: an address in a page, a path in Node. */
  readonly wasmPath: string;
  /** Folder of onnxruntime's wasm files, with the closing slash. */
  readonly onnxPath: string;
  /** CPU threads that a participant may use. */
  readonly threads: number;
}

/** Opens a model's folder: over HTTP in a worker, from disk in Node. */
export type OpenFiles = (label: string, address: string) => ModelFiles;
