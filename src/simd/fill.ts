/** Writes one value to items first … last − 1 of an array of floats. */
export function fill(first: i32, last: i32, target: usize, value: f32): void {
  const four = f32x4.splat(value);
  let i = first;
  for (; i + 4 <= last; i += 4) v128.store(target + (<usize>i << 2), four);
  for (; i < last; i++) store<f32>(target + (<usize>i << 2), value);
}
