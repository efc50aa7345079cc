/** Rows of a table, looked up and added to. */
import { at } from './vector';

/** Items are rows of `output`: row n is row ids[n] of the table. */
export function embedding(
  first: i32,
  last: i32,
  table: usize,
  ids: usize,
  output: usize,
  width: i32,
): void {
  for (let row = first; row < last; row++) {
    memory.copy(at(output, row * width), at(table, load<i32>(at(ids, row)) * width), <usize>width << 2);
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
