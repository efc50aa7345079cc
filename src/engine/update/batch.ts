/** Packs sequences into padded, length-bucketed microbatches. */
import type { Sequence, MarkedSequence } from '../loss/sequence.ts';
import type { TokenBatch } from '../model/languageModel.ts';
import type { SharedPositions } from '../model/sharedPrompts.ts';
import { divided, type RowSize } from './cuts.ts';

/** A microbatch; every array is flat [batch · length], entry b·length + t speaks of the token after position t. */
export interface Microbatch extends TokenBatch {
  /** The number of positions that the model computes, padding included. */
  readonly computed: number;
  readonly shared: SharedPositions | null;
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

/**
 * Cuts sequences into microbatches of similar lengths (cuts.ts). None of them computes more than `maxTokens` positions, but a single
 * sequence may. `weightOf(i)` is the weight of each completion token of sequence i (reduction.ts).
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
  const sizes = rowSizes(sequences);
  const { order, cuts, shares } = divided(sizes, maxTokens);
  const rows = order.flatMap((index): PackedRow[] => {
    const [sequence, size] = [sequences[index], sizes[index]];
    return sequence && size ? [{ sequence, index, size }] : [];
  });
  return cuts.map(({ begin, end }) => pack(rows.slice(begin, end), weightOf, shares));
}

function rowSizes(sequences: readonly Pick<Sequence, 'promptIds' | 'tokens'>[]): RowSize[] {
  const groups = new Map<string, number>();
  return sequences.map((sequence) => {
    const prompt = sequence.promptIds.join();
    const group = groups.get(prompt) ?? groups.size;
    groups.set(prompt, group);
    return {
      length: paddedLength(sequence),
      prompt: sequence.promptIds.length,
      tokens: sequence.tokens.length,
      group,
    };
  });
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

interface PackedRow {
  readonly sequence: MarkedSequence;
  readonly index: number;
  readonly size: RowSize;
}

/** Lists the positions of rows of `length`, those of a shared prompt once. Returns null if no prompt is shared. */
function sharedPositions(rows: readonly PackedRow[], length: number): SharedPositions | null {
  const first: number[] = [];
  const copies: number[] = [];
  rows.forEach(({ size: { prompt, tokens, group } }, b) => {
    const alike = rows.filter(({ size }) => size.group === group).length;
    const begin = rows[b - 1]?.size.group === group ? prompt : 0;
    for (let t = begin; t < prompt + tokens - 1; t++) {
      first.push(b * length + t);
      copies.push(t < prompt ? alike : 1);
    }
  });
  if (copies.every((count) => count === 1)) return null;
  return { first: Int32Array.from(first), copies: Int32Array.from(copies) };
}

function pack(rows: readonly PackedRow[], weightOf: (index: number) => number, shares: boolean): Microbatch {
  const length = Math.max(...rows.map(({ size }) => size.length));
  const size = rows.length * length;
  const shared = shares ? sharedPositions(rows, length) : null;
  const microbatch = {
    batch: rows.length,
    length,
    computed: shared ? shared.first.length : size,
    shared,
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
