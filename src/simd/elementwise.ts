/** One value in, one value out: items are elements of arrays of floats. */
import { exp1, exp4, log1, log4 } from './math';

export function fill(first: i32, last: i32, target: usize, value: f32): void {
  const four = f32x4.splat(value);
  let i = first;
  for (; i + 4 <= last; i += 4) v128.store(target + (<usize>i << 2), four);
  for (; i < last; i++) store<f32>(target + (<usize>i << 2), value);
}

export function exponentials(first: i32, last: i32, source: usize, target: usize): void {
  let i = first;
  for (; i + 4 <= last; i += 4) {
    v128.store(target + (<usize>i << 2), exp4(v128.load(source + (<usize>i << 2))));
  }
  for (; i < last; i++) store<f32>(target + (<usize>i << 2), exp1(load<f32>(source + (<usize>i << 2))));
}

export function logarithms(first: i32, last: i32, source: usize, target: usize): void {
  let i = first;
  for (; i + 4 <= last; i += 4) {
    v128.store(target + (<usize>i << 2), log4(v128.load(source + (<usize>i << 2))));
  }
  for (; i < last; i++) store<f32>(target + (<usize>i << 2), log1(load<f32>(source + (<usize>i << 2))));
}
