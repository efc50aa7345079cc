/** Every message between the page and a generator worker. */
import type { WasmPath } from '../backend/start.ts';
import type { DeviceLimits } from '../backend/device.ts';
import type { BasePiece } from '../model/baseSource.ts';
import type { GeneratorModel } from './decoding/decoder.ts';
import type { GroupRequest, GroupResult, SamplingSettings } from './decoding/types.ts';
import type { WeightBytes, WeightPrecision } from './decoding/weights.ts';

export interface StartMessage {
  readonly type: 'start';
  readonly backend: 'webgpu' | 'wasm';
  /** Folder of the wasm files, with the closing slash. */
  readonly wasmPath: WasmPath;
  /** `StartOptions.fusedProducts`. */
  readonly fusedProducts?: boolean;
  readonly model: GeneratorModel;
  readonly precision: WeightPrecision;
  /** Of its GPU device. */
  readonly limits: DeviceLimits;
}

interface HandOver {
  /** Counts what one worker is sent. */
  readonly delivery: number;
  readonly version: number;
  /** Shared memory, or the worker's own. */
  readonly bytes: Uint8Array;
}

/** Requests after it are answered with these weights. Those of a base under LoRA never change. */
export interface WeightsMessage extends HandOver, WeightBytes {
  readonly type: 'weights';
}

/** Requests after it are answered with the base and these factors (f32). */
export interface AdapterMessage extends HandOver {
  readonly type: 'adapter';
}

/** A piece of a frozen base; adapters and requests wait for the last one. */
export interface BaseMessage {
  readonly type: 'base';
  readonly delivery: number;
  readonly version: number;
  readonly piece: BasePiece;
  readonly last: boolean;
}

export interface GenerateMessage {
  readonly type: 'generate';
  readonly id: number;
  readonly requests: readonly GroupRequest[];
  readonly sampling: SamplingSettings;
}

export type ToGenerator =
  | StartMessage
  | WeightsMessage
  | AdapterMessage
  | BaseMessage
  | GenerateMessage
  | { readonly type: 'abort'; readonly id: number };

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
  /** The bytes of this delivery will not be read again, unless they are a base. */
  | { readonly type: 'read'; readonly delivery: number }
  | AnswerMessage
  /** Between two of the others: it works. */
  | { readonly type: 'alive' }
  /** The worker can't go on at all. */
  | { readonly type: 'broken'; readonly message: string };
