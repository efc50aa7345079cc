/** RMSNorm of rows and its gradient; the formulas are in `kernels/rmsNorm`. The scale is γ + `shift`. */
import { at, sumOfLanes } from './vector';

/** 1 / sqrt(mean(x²) + ε). */
function reciprocalRms(x: usize, width: i32, epsilon: f32): f32 {
  let a = f32x4.splat(0);
  let b = f32x4.splat(0);
  let i = 0;
  for (; i + 8 <= width; i += 8) {
    const low = v128.load(at(x, i));
    const high = v128.load(at(x, i), 16);
    a = f32x4.add(a, f32x4.mul(low, low));
    b = f32x4.add(b, f32x4.mul(high, high));
  }
  let sum = sumOfLanes(f32x4.add(a, b));
  for (; i < width; i++) {
    const value = load<f32>(at(x, i));
    sum += value * value;
  }
  return 1 / sqrt<f32>(sum / <f32>width + epsilon);
}

/** Items are rows. */
export function rmsNorm(
  first: i32,
  last: i32,
  xs: usize,
  gamma: usize,
  output: usize,
  width: i32,
  epsilon: f32,
  shift: f32,
): void {
  const shifts = f32x4.splat(shift);
  for (let row = first; row < last; row++) {
    const x = at(xs, row * width);
    const y = at(output, row * width);
    const r = reciprocalRms(x, width, epsilon);
    const r4 = f32x4.splat(r);
    let i = 0;
    for (; i + 4 <= width; i += 4) {
      v128.store(at(y, i), f32x4.mul(f32x4.mul(v128.load(at(x, i)), r4), f32x4.add(v128.load(at(gamma, i)), shifts)));
    }
    for (; i < width; i++) store<f32>(at(y, i), load<f32>(at(x, i)) * r * (load<f32>(at(gamma, i)) + shift));
  }
}

/** Σ dy ⊙ (γ + shift) ⊙ x of one row. */
function pullOf(x: usize, gamma: usize, shift: f32, dy: usize, width: i32): f32 {
  let sum = f32x4.splat(0);
  let i = 0;
  for (; i + 4 <= width; i += 4) {
    const g = f32x4.mul(v128.load(at(dy, i)), f32x4.add(v128.load(at(gamma, i)), f32x4.splat(shift)));
    sum = f32x4.add(sum, f32x4.mul(g, v128.load(at(x, i))));
  }
  let rest = sumOfLanes(sum);
  for (; i < width; i++) rest += load<f32>(at(dy, i)) * (load<f32>(at(gamma, i)) + shift) * load<f32>(at(x, i));
  return rest;
}

/**
 * Items are chunks of `chunk` rows; each writes its share of dγ to row `item` of `parts` [chunks, width]. A residual at address
 * 0 is left out.
 */
export function rmsNormGradient(
  first: i32,
  last: i32,
  xs: usize,
  gamma: usize,
  dys: usize,
  residual: usize,
  output: usize,
  parts: usize,
  rows: i32,
  chunk: i32,
  width: i32,
  epsilon: f32,
  shift: f32,
): void {
  for (let item = first; item < last; item++) {
    const part = at(parts, item * width);
    memory.fill(part, 0, <usize>width << 2);
    const end = min((item + 1) * chunk, rows);
    for (let row = item * chunk; row < end; row++) {
      const x = at(xs, row * width);
      const dy = at(dys, row * width);
      const dx = at(output, row * width);
      const beside = residual == 0 ? 0 : at(residual, row * width);
      const r = reciprocalRms(x, width, epsilon);
      const pull = (pullOf(x, gamma, shift, dy, width) / <f32>width) * r * r;
      const r4 = f32x4.splat(r);
      const pull4 = f32x4.splat(pull);
      let i = 0;
      for (; i + 4 <= width; i += 4) {
        const d = v128.load(at(dy, i));
        const value = v128.load(at(x, i));
        const dGamma = f32x4.mul(f32x4.mul(d, value), r4);
        v128.store(at(part, i), f32x4.add(v128.load(at(part, i)), dGamma));
        const g = f32x4.mul(d, f32x4.add(v128.load(at(gamma, i)), f32x4.splat(shift)));
        let sum = f32x4.mul(r4, f32x4.sub(g, f32x4.mul(value, pull4)));
        if (beside != 0) sum = f32x4.add(sum, v128.load(at(beside, i)));
        v128.store(at(dx, i), sum);
      }
      for (; i < width; i++) {
        const d = load<f32>(at(dy, i));
        const value = load<f32>(at(x, i));
        store<f32>(at(part, i), load<f32>(at(part, i)) + d * value * r);
        let sum = r * (d * (load<f32>(at(gamma, i)) + shift) - value * pull);
        if (beside != 0) sum += load<f32>(at(beside, i));
        store<f32>(at(dx, i), sum);
      }
    }
  }
}
