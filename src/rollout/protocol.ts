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

/** What is said of a request. */
export type Answer =
  | { readonly type: 'progress'; readonly tokens: number; readonly finished: number }
  /** A group of the request, as soon as it is complete; each is sent once. */
  | { readonly type: 'group'; readonly index: number; readonly group: GroupResult }
  /** All groups have been sent. */
  | { readonly type: 'done' }
  /** After these two, groups that have not been sent will not be. */
  | { readonly type: 'aborted' }
  | { readonly type: 'failed'; readonly message: string };

export type AnswerMessage = Answer & {
  /** Of the `GenerateMessage`. */
  readonly id: number;
  /** Seconds that this worker has worked on requests in its life. */
  readonly busySeconds: number;
};

export type FromGenerator =
  /** The bytes of this version and of all before it will not be read again. */
  | { readonly type: 'weights-read'; readonly version: number }
  | AnswerMessage
  /** The worker can't go on at all. */
  | { readonly type: 'broken'; readonly message: string };
