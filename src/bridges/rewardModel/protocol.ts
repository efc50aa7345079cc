/** The messages between the page and the worker in which transformers.js scores answers. */
import type { AskedText, RewardPipeline, ScoreOutcome } from '@rl-playground/run/rewardModel';

/** The device that onnxruntime computes on. */
export type RewardDevice = 'webgpu' | 'wasm';

/** The contents of a model's files by name, without folders. Whoever is given them may take out what is no longer needed. */
export type FileContents = Map<string, Uint8Array<ArrayBuffer>>;

/** The first message: the model is loaded from its files. */
export interface OpenRequest {
  readonly kind: 'open';
  readonly pipeline: RewardPipeline;
  readonly files: FileContents;
  readonly device: RewardDevice;
  /** The address of the folder with onnxruntime's files. */
  readonly runtime: string;
}

export interface TextsRequest {
  readonly kind: 'texts';
  /** The batch's number, which its answer repeats. */
  readonly id: number;
  readonly items: readonly AskedText[];
  /** The label that is rewarded. */
  readonly label: string;
}

export type RewardRequest = OpenRequest | TextsRequest;

export type RewardMessage =
  /** The model is loaded; `labels` are those that it tells apart, none where it gives embeddings. */
  | { readonly kind: 'ready'; readonly labels: readonly string[] }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'scores'; readonly id: number; readonly outcomes: readonly ScoreOutcome[] };
