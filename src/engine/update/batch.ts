/** Packs sequences into padded, length-bucketed microbatches. */
import type { Sequence, MarkedSequence } from '../loss/sequence.ts';
import type { TokenBatch } from '../model/languageModel.ts';

/** A microbatch; every array is flat [batch · length], entry b·length + t speaks of the token after position t. */
export interface Microbatch extends TokenBatch {
  /** The index of the packed sequence that is in each row. */
  readonly rows: readonly number[];
  /** The position in its row of the first completion token's entry, and the number of completion tokens. */
  readonly spans: readonly { readonly first: number; readonly tokens: number }[];
  /** Every position that predicts a completion token, ascending. */
  readonly wanted: Int32Array;
  /** 1 at completion tokens. */
  readonly mask: Float32Array;
  /** Share of each token in the loss. */
  readonly weights: Float32Array;
  /** 1 at completion tokens whose policy term counts; null if all do. */
  readonly kept: Float32Array | null;
  /** d loss / d entropy; null if it is 0 everywhere. */
  readonly entropyWeights: Float32Array | null;
  readonly samplerLogprobs: Float32Array;
  readonly oldLogprobs: Float32Array;
  readonly referenceLogprobs: Float32Array;
  readonly advantages: Float32Array;
  /** 1 at completion tokens that are learned from: answers may be left out of the loss. */
  readonly learned: Float32Array;
  readonly oldValues: Float32Array;
  readonly returns: Float32Array;
}

/** Padded lengths are multiples of this step, so that few buffer sizes ever exist on the GPU. */
const LENGTH_STEP = 8;

/** The share of a microbatch's capacity that another microbatch must save at least, because it costs dispatches and keeps a GPU less busy. */
const MICROBATCH_COST = 1 / 8;

/**
 * Sorts sequences by length and cuts them so that no microbatch holds more than `maxTokens` padded tokens (a single sequence may), and so
 * that there is little padding in few microbatches. `weightOf(i)` is the weight of each completion token of sequence i (reduction.ts).
 *
 * @throws Error for an empty prompt or completion (there would be nothing to predict from, or nothing to predict), and for an array of
 * values that is neither empty nor has one value for each completion token.
 */
export function packMicrobatches(
  sequences: readonly MarkedSequence[],
  weightOf: (index: number) => number,
  maxTokens: number,
): Microbatch[] {
  sequences.forEach(checkLengths);
  const ordered = sequences
    .map((sequence, index) => ({ sequence, index, length: paddedLength(sequence) }))
    .sort((a, b) => b.length - a.length);
  const lengths = ordered.map(({ length }) => length);
  return cutsOf(lengths, maxTokens).map(({ begin, end }) =>
    pack(ordered.slice(begin, end), lengths[begin] ?? LENGTH_STEP, weightOf),
  );
}

/**
 * The cheapest way to cut `lengths`, which descend, into pieces of at most `maxTokens`. A piece costs its longest length for each of its
 * sequences, plus `MICROBATCH_COST`. Found by dynamic programming over the beginning of the last piece; among equals the longest piece
 * wins.
 */
export function cutsOf(lengths: readonly number[], maxTokens: number): { begin: number; end: number }[] {
  const extra = maxTokens * MICROBATCH_COST;
  const cheapest = [0];
  const begins = [0];
  for (let end = 1; end <= lengths.length; end++) {
    let [best, from] = [Infinity, end - 1];
    for (let begin = end - 1; begin >= 0; begin--) {
      const padded = (end - begin) * (lengths[begin] ?? 0);
      if (padded > maxTokens && end - begin > 1) break;
      const cost = (cheapest[begin] ?? 0) + padded + extra;
      if (cost <= best) [best, from] = [cost, begin];
    }
    cheapest.push(best);
    begins.push(from);
  }
  const cuts: { begin: number; end: number }[] = [];
  for (let end = lengths.length; end > 0; end = begins[end] ?? 0) {
    cuts.unshift({ begin: begins[end] ?? 0, end });
  }
  return cuts;
}

/** The optional values of each completion token of a sequence. */
export const TOKEN_VALUES = [
  'advantages',
  'samplerLogprobs',
  'oldLogprobs',
  'referenceLogprobs',
  'oldValues',
  'returns',
] as const satisfies readonly (keyof Sequence)[];

/** @throws Error for sequences that `packMicrobatches` refuses. */
export function checkLengths(
  sequence: Pick<Sequence, 'promptIds' | 'tokens'> & Partial<Sequence>,
  index: number,
): void {
  const { promptIds, tokens } = sequence;
  if (promptIds.length === 0 || tokens.length === 0) {
    throw new Error(
      `Sequence ${index} has ${promptIds.length} prompt and ${tokens.length} completion tokens; each needs at least 1.`,
    );
  }
  for (const name of TOKEN_VALUES) {
    const found = sequence[name]?.length ?? 0;
    if (found !== 0 && found !== tokens.length) {
      throw new Error(
        `Sequence ${index} has ${found} ${name} but ${tokens.length} completion tokens; pass one for each token of the completion, and none for the prompt.`,
      );
    }
  }
}

/** The positions that a sequence takes in a microbatch of its own; its last token is only predicted. */
export function paddedLength({ promptIds, tokens }: Pick<Sequence, 'promptIds' | 'tokens'>): number {
  return Math.ceil((promptIds.length + tokens.length - 1) / LENGTH_STEP) * LENGTH_STEP;
}

function pack(
  rows: readonly { readonly sequence: MarkedSequence; readonly index: number }[],
  length: number,
  weightOf: (index: number) => number,
): Microbatch {
  const size = rows.length * length;
  const microbatch = {
    batch: rows.length,
    length,
    rows: rows.map(({ index }) => index),
    spans: rows.map(({ sequence: { promptIds, tokens } }) => ({
      first: promptIds.length - 1,
      tokens: tokens.length,
    })),
    wanted: new Int32Array(rows.reduce((sum, { sequence }) => sum + sequence.tokens.length, 0)),
    ids: new Int32Array(size),
    targets: new Int32Array(size),
    mask: new Float32Array(size),
    weights: new Float32Array(size),
    kept: rows.some(({ sequence }) => sequence.kept) ? new Float32Array(size) : null,
    entropyWeights: rows.some(({ sequence }) => sequence.entropyWeights) ? new Float32Array(size) : null,
    samplerLogprobs: new Float32Array(size),
    oldLogprobs: new Float32Array(size),
    referenceLogprobs: new Float32Array(size),
    advantages: new Float32Array(size),
    learned: new Float32Array(size),
    oldValues: new Float32Array(size),
    returns: new Float32Array(size),
  };
  let wanted = 0;
  rows.forEach(({ sequence, index }, b) => {
    const base = b * length;
    const all = [...sequence.promptIds, ...sequence.tokens];
    microbatch.ids.set(all.slice(0, -1), base);
    microbatch.targets.set(all.slice(1), base);
    const first = base + sequence.promptIds.length - 1;
    const end = first + sequence.tokens.length;
    for (let at = first; at < end; at++) microbatch.wanted[wanted++] = at;
    microbatch.mask.fill(1, first, end);
    microbatch.weights.fill(sequence.masked === true ? 0 : weightOf(index), first, end);
    if (sequence.kept) microbatch.kept?.set(sequence.kept, first);
    else microbatch.kept?.fill(1, first, end);
    if (sequence.entropyWeights && sequence.masked !== true)
      microbatch.entropyWeights?.set(sequence.entropyWeights, first);
    microbatch.learned.fill(sequence.masked === true ? 0 : 1, first, end);
    microbatch.advantages.set(sequence.advantages, first);
    microbatch.samplerLogprobs.set(sequence.samplerLogprobs, first);
    microbatch.oldLogprobs.set(sequence.oldLogprobs ?? sequence.samplerLogprobs, first);
    if (sequence.referenceLogprobs) microbatch.referenceLogprobs.set(sequence.referenceLogprobs, first);
    if (sequence.oldValues) microbatch.oldValues.set(sequence.oldValues, first);
    if (sequence.returns) microbatch.returns.set(sequence.returns, first);
  });
  return microbatch;
}

/** Writes the completion tokens' entries of `values` [batch · length] to `target[i]`, i the index of the packed sequence. */
export function unpackRows(
  { rows, spans, length }: Microbatch,
  values: Float32Array,
  target: Float32Array[],
): void {
  rows.forEach((index, b) => {
    const { first, tokens } = spans[b] ?? { first: 0, tokens: 0 };
    target[index] = values.slice(b * length + first, b * length + first + tokens);
  });
}
