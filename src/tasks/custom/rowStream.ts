/** The streams in which an own task's rows are drawn: each epoch is a permutation of its side of the split. */
import { drawsFor, uniformInt } from '@rl-playground/base/random';
import { EVAL_SHARE, splitOf } from '../define/split.ts';
import type { Split } from '../define/types.ts';
import type { CustomRow } from '../define/definition.ts';

/** Distinct questions that each side of the split needs. */
export const LEAST_ROWS = 2;
/** Permutations remembered: one or two streams run at a time. */
const MOST_KEPT = 4;
const SPLIT_WORDS: Readonly<Record<Split, number>> = { train: 0, eval: 1 };

/** This is not the task's name, so that a renamed task keeps its split. */
const SPLIT_NAME = 'own';

export type Sides<Row extends CustomRow = CustomRow> = Readonly<Record<Split, readonly Row[]>>;

/**
 * Splits rows into training and evaluation. A question is on one side only. The source's own test part is the evaluation; without one, a
 * hash of the question decides.
 */
export function splitRows<Row extends CustomRow>(rows: readonly Row[]): Sides<Row> {
  const test = rows.filter((row) => row.test === true);
  if (test.length > 0) {
    const tested = new Set(test.map(({ question }) => question));
    return { train: rows.filter(({ question }) => !tested.has(question)), eval: test };
  }
  const sides: Record<Split, Row[]> = { train: [], eval: [] };
  for (const row of rows) sides[splitOf(SPLIT_NAME, row.question)].push(row);
  return sides;
}

/** The error in the number of rows, with what is needed, or null. */
export function sidesError(sides: Sides): string | null {
  for (const [split, side] of [
    ['training', sides.train],
    ['evaluation', sides.eval],
  ] as const) {
    const found = new Set(side.map(({ question }) => question)).size;
    if (found < LEAST_ROWS)
      return `${found} different ${found === 1 ? 'question is' : 'questions are'} left for ${split}, and at least ${LEAST_ROWS} are needed. One in ${1 / EVAL_SHARE}, by a hash of the question, is held out for evaluation: add rows with other questions; 40 are nearly always enough.`;
  }
  return null;
}

/** Fisher and Yates's shuffle of 0 … count - 1, decided by (seed, split, epoch). */
function permutation(count: number, seed: number, split: Split, epoch: number): Uint32Array {
  const draw = drawsFor(seed, SPLIT_WORDS[split], epoch);
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = uniformInt(draw, 0, i);
    const [a = 0, b = 0] = [order[i], order[j]];
    order[i] = b;
    order[j] = a;
  }
  return order;
}

/** The row at (seed, split, index): every row of the side comes once before any comes again. Pure; recent orders are remembered. */
export function rowStream<Row extends CustomRow>(
  sides: Sides<Row>,
): (seed: number, split: Split, index: number) => Row {
  const kept = new Map<string, Uint32Array>();
  return (seed, split, index) => {
    const side = sides[split];
    const epoch = Math.floor(index / side.length);
    const key = `${seed} ${split} ${epoch}`;
    let order = kept.get(key);
    if (order === undefined) {
      if (kept.size >= MOST_KEPT) kept.clear();
      order = permutation(side.length, seed, split, epoch);
      kept.set(key, order);
    }
    const row = side[order[index % side.length] ?? 0];
    if (row === undefined)
      throw new Error(`There is no row for ${split}; at least ${LEAST_ROWS} are needed.`);
    return row;
  };
}
