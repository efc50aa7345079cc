/** Rows of a table, looked up and added to. */
import { unpackRow } from './frozen';
import { at } from './vector';

/**
 * Looks up rows. Items are rows of `output`: row n is row ids[n] of the table, whose rows from `firstRow` on are in `words`;
 * ids of other rows are skipped. Formats are those of `frozen.ts`.
 */
export function embedding(
  first: i32,
  last: i32,
  format: i32,
  words: usize,
  firstRow: i32,
  rows: i32,
  ids: usize,
  output: usize,
  width: i32,
): void {
  for (let item = first; item < last; item++) {
    const row = load<i32>(at(ids, item)) - firstRow;
    if (row < 0 || row >= rows) continue;
    unpackRow(format, words, row * width, width, at(output, item * width));
  }
}

/** Row n of `dy` is added to row ids[n] of `target`, n ascending. Items are columns, so each sum has one writer. */
export function embeddingGradient(
  first: i32,
  last: i32,
  dy: usize,
  ids: usize,
  target: usize,
  rows: i32,
  width: i32,
): void {
  for (let row = 0; row < rows; row++) {
    const from = at(dy, row * width);
    const to = at(target, load<i32>(at(ids, row)) * width);
    let j = first;
    for (; j + 4 <= last; j += 4) {
      v128.store(at(to, j), f32x4.add(v128.load(at(to, j)), v128.load(at(from, j))));
    }
    for (; j < last; j++) store<f32>(at(to, j), load<f32>(at(to, j)) + load<f32>(at(from, j)));
  }
}
