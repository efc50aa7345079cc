/** Every message between the page and a generator worker. */
import type { GeneratorModel } from './generator.ts';
import type { GroupRequest, GroupResult, SamplingSettings } from './types.ts';

export interface StartMessage {
  readonly type: 'start';
  readonly backend: 'webgpu' | 'wasm';
  /** Folder of the wasm files, with the closing slash. */
  readonly wasmPath: string;
  readonly model: GeneratorModel;
}

export interface WeightsMessage {
  readonly type: 'weights';
  readonly version: number;
  /** `ModelWeights.pack`; over shared memory where the page is cross-origin isolated. */
  readonly packed: Float32Array;
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
  | { readonly type: 'weights-set'; readonly version: number }
  | { readonly type: 'progress'; readonly id: number; readonly tokens: number; readonly finished: number }
  | { readonly type: 'result'; readonly id: number; readonly groups: readonly GroupResult[] }
  | { readonly type: 'aborted'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
  /** The worker can't go on at all. */
  | { readonly type: 'broken'; readonly message: string };
