/** Sums in a fixed order, whatever the number of threads. */
import { at } from './vector';

/** Writes the sum of squares of each chunk of `size` floats of `source` as a double. Items are chunks. */
export function squaredSums(
  first: i32,
  last: i32,
  source: usize,
  length: i32,
  size: i32,
  target: usize,
): void {
  for (let chunk = first; chunk < last; chunk++) {
    const end = min((chunk + 1) * size, length);
    let i = chunk * size;
    let low = f64x2.splat(0);
    let high = f64x2.splat(0);
    for (; i + 4 <= end; i += 4) {
      const four = v128.load(at(source, i));
      const a = f64x2.promote_low_f32x4(four);
      const b = f64x2.promote_low_f32x4(i64x2.shuffle(four, four, 1, 1));
      low = f64x2.add(low, f64x2.mul(a, a));
      high = f64x2.add(high, f64x2.mul(b, b));
    }
    const both = f64x2.add(low, high);
    let sum = f64x2.extract_lane(both, 0) + f64x2.extract_lane(both, 1);
    for (; i < end; i++) {
      const x = <f64>load<f32>(at(source, i));
      sum += x * x;
    }
    store<f64>(target + (<usize>chunk << 3), sum);
  }
}

export function sumOfDoubles(source: usize, count: i32): f64 {
  let sum: f64 = 0;
  for (let i = 0; i < count; i++) sum += load<f64>(source + (<usize>i << 3));
  return sum;
}

/** target[j] += Σ source[n, j], rows in ascending order. Items are columns. */
export function columnSums(
  first: i32,
  last: i32,
  source: usize,
  rows: i32,
  width: i32,
  target: usize,
): void {
  const stride = <usize>width << 2;
  let j = first;
  for (; j + 4 <= last; j += 4) {
    let sum = f32x4.splat(0);
    let from = at(source, j);
    for (let n = 0; n < rows; n++, from += stride) sum = f32x4.add(sum, v128.load(from));
    v128.store(at(target, j), f32x4.add(v128.load(at(target, j)), sum));
  }
  for (; j < last; j++) {
    let sum: f32 = 0;
    let from = at(source, j);
    for (let n = 0; n < rows; n++, from += stride) sum += load<f32>(from);
    store<f32>(at(target, j), load<f32>(at(target, j)) + sum);
  }
}

/** output[n] = source[first[n]] + source[first[n] + stride] + …, copies[n] rows in ascending order. Items are rows of `output`. */
export function sumCopies(
  from: i32,
  to: i32,
  source: usize,
  first: usize,
  copies: usize,
  output: usize,
  stride: i32,
  width: i32,
): void {
  for (let row = from; row < to; row++) {
    const target = at(output, row * width);
    memory.fill(target, 0, <usize>width << 2);
    const terms = load<i32>(at(copies, row));
    for (let copy = 0; copy < terms; copy++) {
      const term = at(source, (load<i32>(at(first, row)) + copy * stride) * width);
      let j = 0;
      for (; j + 4 <= width; j += 4) {
        v128.store(at(target, j), f32x4.add(v128.load(at(target, j)), v128.load(at(term, j))));
      }
      for (; j < width; j++) store<f32>(at(target, j), load<f32>(at(target, j)) + load<f32>(at(term, j)));
    }
  }
}
