/** Rows of a file as sequences to learn from: what of them fits the model, and in which order they come. */
import { canWrite, type Renderer, type Tokenizer, type Sequence } from '@rl-playground/engine/parts';
import { drawsFor, shuffled } from '@rl-playground/base/random';
import type { SftFile } from './sftRows.ts';
import { taughtSequence } from './demonstrations.ts';

/** Keeps the order of rows apart from every other stream of the same seed. */
const ORDER_STREAM = 0x5f8;

export interface SftSequences {
  /** The sequences in the order of their rows. */
  readonly sequences: readonly Sequence[];
  /** Tokens of the longest prompt with its answer. */
  readonly longest: number;
  /** Rows whose answer was cut at the run's longest. */
  readonly cut: number;
  /** Rows left out: for want of positions, and for signs that the vocabulary lacks. */
  readonly tooLong: number;
  readonly unwritable: number;
}

export interface SftLimits {
  /** Tokens of an answer, with its end. */
  readonly maxTokens: number;
  readonly maxPositions: number;
}

/**
 * Each row as the run's renderer asks and ends it. An answer longer than the run's answers is cut there, as demonstrations are; a
 * row that needs more positions than the model has is left out, and so is one whose answer the model has no tokens for.
 * `breathe` gives the event loop a turn: a large file takes seconds.
 * @throws Error with the counts where no row is left.
 */
export async function sftSequences(
  { name, rows }: SftFile,
  { renderer, tokenizer }: { readonly renderer: Renderer; readonly tokenizer: Tokenizer },
  { maxTokens, maxPositions }: SftLimits,
  breathe: () => Promise<void>,
): Promise<SftSequences> {
  const sequences: Sequence[] = [];
  let [longest, cut, tooLong, unwritable] = [0, 0, 0, 0];
  for (const [i, { prompt, completion }] of rows.entries()) {
    if (i % 200 === 199) await breathe();
    if (!canWrite(tokenizer, completion)) {
      unwritable++;
      continue;
    }
    const promptIds = renderer.promptIds(prompt);
    const answer = renderer.answerIds(completion);
    const tokens = answer.slice(0, maxTokens);
    const length = promptIds.length + tokens.length;
    if (length > maxPositions) {
      tooLong++;
      continue;
    }
    if (answer.length > maxTokens) cut++;
    longest = Math.max(longest, length);
    sequences.push(taughtSequence(promptIds, tokens));
  }
  if (sequences.length > 0) return { sequences, longest, cut, tooLong, unwritable };
  throw new Error(
    `None of the ${rows.length} rows of ${name} can be learned from. Too long for the model's ${maxPositions} positions: ${tooLong}; answers with characters that its vocabulary lacks: ${unwritable}. Choose shorter rows, or a model that has room and words for them.`,
  );
}

/** The note for the user on rows that are not learned from whole; null if all are. */
export function sftNote(
  { sequences, cut, tooLong, unwritable }: SftSequences,
  limits: SftLimits,
): string | null {
  const total = sequences.length + tooLong + unwritable;
  const parts = [
    tooLong > 0 ? `${tooLong} left out: too long for the model's ${limits.maxPositions} positions.` : '',
    unwritable > 0
      ? `${unwritable} left out: answers with characters that the model's vocabulary lacks.`
      : '',
    cut > 0
      ? `${cut} cut: answers of more than ${limits.maxTokens} tokens. Raise tokens per answer to learn all of them.`
      : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : [`Of ${total} rows:`, ...parts].join(' ');
}

/** The `index`-th sequence to learn from: every row once before any comes again, each time in another order. Pure; the latest order is remembered. */
export function sftStream(sequences: readonly Sequence[], seed: number): (index: number) => Sequence {
  let kept: { readonly epoch: number; readonly order: readonly Sequence[] } | null = null;
  return (index) => {
    const epoch = Math.floor(index / sequences.length);
    if (kept?.epoch !== epoch)
      kept = { epoch, order: shuffled(drawsFor(seed, ORDER_STREAM, epoch), sequences) };
    const sequence = kept.order[index % sequences.length];
    if (sequence === undefined) throw new Error('There are no rows to learn from; at least 1 is needed.');
    return sequence;
  };
}
