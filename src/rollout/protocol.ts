/** Every message between the page and a generator worker. */
import type { GeneratorModel } from './engine.ts';
import type { GroupRequest, GroupResult, SamplingSettings } from './types.ts';
import type { WeightBytes, WeightPrecision } from './weightFormat.ts';

export interface StartMessage {
  readonly type: 'start';
  readonly backend: 'webgpu' | 'wasm';
  /** Folder of the wasm files, with the closing slash. */
  readonly wasmPath: string;
  readonly model: GeneratorModel;
  readonly precision: WeightPrecision;
}

/** Requests after it are answered with these weights. Their bytes are shared memory, or the worker's own. */
export interface WeightsMessage extends WeightBytes {
  readonly type: 'weights';
  readonly version: number;
}

export interface GenerateMessage {
  readonly type: 'generate';
  readonly id: number;
  readonly requests: readonly GroupRequest[];
  readonly sampling: SamplingSettings;
}

export interface AbortMessage {
  readonly type: 'abort';
  readonly id: number;
}

export type ToGenerator = StartMessage | WeightsMessage | GenerateMessage | AbortMessage;

export type FromGenerator =
  /** The bytes of this version and of all before it will not be read again. */
  | { readonly type: 'weights-read'; readonly version: number }
  | { readonly type: 'progress'; readonly id: number; readonly tokens: number; readonly finished: number }
  | { readonly type: 'result'; readonly id: number; readonly groups: readonly GroupResult[] }
  | { readonly type: 'aborted'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
  /** The worker can't go on at all. */
  | { readonly type: 'broken'; readonly message: string };
