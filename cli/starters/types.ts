/** What `npm run pretrain` makes a model from. */
import type { Vocabulary } from './tokenizer.ts';

export interface StarterRecipe {
  /** Folder under `public/models`. */
  readonly name: string;
  /** One sentence for the model card: what it knows. */
  readonly knows: string;
  /** Names of the tasks, demonstrated in turn at the settings of their first run. */
  readonly tasks: readonly string[];
  readonly vocabulary: Vocabulary;
  /** A Llama block's sizes. */
  readonly architecture: {
    readonly hidden: number;
    readonly intermediate: number;
    readonly layers: number;
    readonly heads: number;
    readonly maxPositions: number;
  };
  readonly steps: number;
  /** Demonstrations per step. */
  readonly batch: number;
  readonly learningRate: number;
  readonly warmupSteps: number;
  readonly adam: {
    readonly beta1: number;
    readonly beta2: number;
    readonly epsilon: number;
    readonly weightDecay: number;
    readonly clipNorm: number;
  };
  readonly microBatchTokens: number;
  /** Longest prompt plus answer, padded. */
  readonly positions: number;
  readonly maxTokens: number;
  readonly evalSamples: number;
}
