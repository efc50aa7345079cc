/** Every message between the page and a generator worker. */
import type { WasmPath } from '../backend/start.ts';
import type { DeviceLimits } from '../backend/device.ts';
import type { BasePiece } from '../model/baseSource.ts';
import type { SharedBase } from '../model/frozenBase.ts';
import type { GeneratorModel } from './decoding/decoder.ts';
import type { GroupRequest, GroupResult, SamplingSettings } from './decoding/types.ts';
import type { WeightBytes, WeightPrecision } from './decoding/weights.ts';

export interface StartMessage {
  readonly type: 'start';
  readonly backend: 'webgpu' | 'wasm';
  /** The folder of the wasm files, with the closing slash. */
  readonly wasmPath: WasmPath;
  /** The option `StartOptions.fusedProducts`. */
  readonly fusedProducts?: boolean;
  readonly model: GeneratorModel;
  readonly precision: WeightPrecision;
  readonly limits: DeviceLimits;
  /** The threads of the wasm backend. */
  readonly threads: number;
}

interface HandOver {
  /** The number of the delivery among those to one worker. */
  readonly delivery: number;
  readonly version: number;
  /** The bytes, in shared memory or in the worker's own. */
  readonly bytes: Uint8Array;
}

/** Weights that answer all later requests. Those of a base under LoRA never change. */
export interface WeightsMessage extends HandOver, WeightBytes {
  readonly type: 'weights';
}

/** Factors (f32) that answer all later requests, together with the base. */
export interface AdapterMessage extends HandOver {
  readonly type: 'adapter';
}

/** A piece of a frozen base. Adapters and requests wait for the last one. */
export interface BaseMessage {
  readonly type: 'base';
  readonly delivery: number;
  readonly version: number;
  readonly piece: BasePiece;
  readonly last: boolean;
}

/** A frozen base that stays on the page's heap, in place of all pieces. */
export interface SharedBaseMessage {
  readonly type: 'sharedBase';
  readonly delivery: number;
  readonly version: number;
  readonly base: SharedBase;
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
  | SharedBaseMessage
  | GenerateMessage
  | { readonly type: 'abort'; readonly id: number };

export type Answer =
  | { readonly type: 'progress'; readonly tokens: number; readonly finished: number }
  /** A group of the request, which is sent once, as soon as it is complete. */
  | { readonly type: 'group'; readonly index: number; readonly group: GroupResult }
  /** All groups have been sent. */
  | { readonly type: 'done' }
  /** The end of an aborted request: groups that have not been sent will not be. The same holds for a failed one. */
  | { readonly type: 'aborted' }
  | { readonly type: 'failed'; readonly message: string };

export type AnswerMessage = Answer & {
  /** The id of the `GenerateMessage`. */
  readonly id: number;
  /** The seconds that this worker has worked on requests in its life. */
  readonly busySeconds: number;
};

export type FromGenerator =
  /** The bytes of this delivery will not be read again, unless they are a base. */
  | { readonly type: 'read'; readonly delivery: number }
  | AnswerMessage
  /** A life sign between two of the other messages. */
  | { readonly type: 'alive' }
  /** The worker can't continue at all. */
  | { readonly type: 'broken'; readonly message: string };
