/** The messages between the page and the worker in which transformers.js scores answers. */
import type { AskedText, RewardPipeline, ScoreOutcome } from '@rl-playground/run/rewardModel';
import type { FileContents, OnnxDevice } from '../transformersJs/index.ts';

/** The first message: the model is loaded from its files. */
export interface OpenRequest {
  readonly kind: 'open';
  readonly pipeline: RewardPipeline;
  readonly files: FileContents;
  readonly device: OnnxDevice;
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
