/** Packing sequences into padded, length-bucketed microbatches. */
import type { TokenBatch } from '../model/languageModel.ts';

/** One prompt and its completion, with what the loss needs for each completion token. */
export interface Sequence {
  readonly promptIds: readonly number[];
  readonly tokens: readonly number[];
  readonly samplerLogprobs: readonly number[];
  readonly advantage: number;
}

export type LossReduction = 'token_mean' | 'sequence_mean';

/** A microbatch; every array is flat [batch · length], entry b·length + t speaks of the token after position t. */
export interface Microbatch extends TokenBatch {
  readonly weights: Float32Array;
  readonly samplerLogprobs: Float32Array;
  readonly advantages: Float32Array;
}

/** Padded lengths are multiples of it, so that few buffer sizes ever exist on the GPU. */
const LENGTH_STEP = 8;

/**
 * Sequences sorted by length and cut so that no microbatch holds more than `maxTokens` padded tokens (one sequence may).
 * Weights: `token_mean` 1 / all completion tokens of the batch; `sequence_mean` 1 / (sequences · tokens of the own one).
 * Throws on an empty prompt or completion: there would be nothing to predict from, or nothing to predict.
 */
export function packMicrobatches(
  sequences: readonly Sequence[],
  reduction: LossReduction,
  maxTokens: number,
): Microbatch[] {
  for (const { promptIds, tokens } of sequences) {
    if (promptIds.length === 0 || tokens.length === 0) {
      throw new Error(
        `A sequence has ${promptIds.length} prompt and ${tokens.length} completion tokens; each needs at least 1.`,
      );
    }
  }
  const totalTokens = sequences.reduce((sum, sequence) => sum + sequence.tokens.length, 0);
  const weightOf = (sequence: Sequence): number =>
    reduction === 'token_mean' ? 1 / totalTokens : 1 / (sequences.length * sequence.tokens.length);
  const paddedLength = (sequence: Sequence): number =>
    Math.ceil((sequence.promptIds.length + sequence.tokens.length - 1) / LENGTH_STEP) * LENGTH_STEP;

  const ordered = [...sequences].sort((a, b) => paddedLength(b) - paddedLength(a));
  const microbatches: Microbatch[] = [];
  for (let begin = 0; begin < ordered.length;) {
    const length = paddedLength(ordered[begin] as Sequence);
    const rows = ordered.slice(begin, begin + Math.max(1, Math.floor(maxTokens / length)));
    microbatches.push(pack(rows, length, weightOf));
    begin += rows.length;
  }
  return microbatches;
}

function pack(
  rows: readonly Sequence[],
  length: number,
  weightOf: (sequence: Sequence) => number,
): Microbatch {
  const size = rows.length * length;
  const microbatch = {
    batch: rows.length,
    length,
    ids: new Int32Array(size),
    targets: new Int32Array(size),
    weights: new Float32Array(size),
    samplerLogprobs: new Float32Array(size),
    advantages: new Float32Array(size),
  };
  rows.forEach((sequence, b) => {
    const base = b * length;
    const all = [...sequence.promptIds, ...sequence.tokens];
    microbatch.ids.set(all.slice(0, -1), base);
    microbatch.targets.set(all.slice(1), base);
    const first = base + sequence.promptIds.length - 1;
    const end = first + sequence.tokens.length;
    microbatch.weights.fill(weightOf(sequence), first, end);
    microbatch.advantages.fill(sequence.advantage, first, end);
    microbatch.samplerLogprobs.set(sequence.samplerLogprobs, first);
  });
  return microbatch;
}
