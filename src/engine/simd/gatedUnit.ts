/**
 * The gated unit, y = z · σ(k) ⊙ up over rows z | up of 2 · `width`; the formulas are in `kernels/gatedUnit`. k is z, or with `gelu` the
 * cubic of GELU's tanh form. Items are rows.
 */
import { powerOfTwo } from './math';
import { at } from './vector';

const LOG2_E: f32 = 1.4426950408889634;

/** σ(z), without overflow on either side. */
@inline
function sigmoid(z: v128): v128 {
  const e = powerOfTwo(f32x4.mul(f32x4.abs(z), f32x4.splat(-LOG2_E)));
  const one = f32x4.splat(1);
  return f32x4.div(v128.bitselect(e, one, f32x4.lt(z, f32x4.splat(0))), f32x4.add(one, e));
}

/** k(z) of GELU is 2 √(2/π) · (z + CUBE · z³). */
const TWICE_ROOT: f32 = 1.5957691216057308;
const CUBE: f32 = 0.044715;

@inline
function argument(z: v128, gelu: i32): v128 {
  if (!gelu) return z;
  const factor = f32x4.add(f32x4.splat(1), f32x4.mul(f32x4.splat(CUBE), f32x4.mul(z, z)));
  return f32x4.mul(f32x4.mul(z, f32x4.splat(TWICE_ROOT)), factor);
}

/** z · dk/dz. */
@inline
function scaledSlope(z: v128, gelu: i32): v128 {
  if (!gelu) return z;
  const factor = f32x4.add(f32x4.splat(1), f32x4.mul(f32x4.splat(3 * CUBE), f32x4.mul(z, z)));
  return f32x4.mul(f32x4.mul(z, f32x4.splat(TWICE_ROOT)), factor);
}

@inline
function unit(gate: v128, up: v128, gelu: i32): v128 {
  return f32x4.mul(f32x4.mul(gate, sigmoid(argument(gate, gelu))), up);
}

export function gatedUnit(first: i32, last: i32, gateUp: usize, width: i32, target: usize, gelu: i32): void {
  let gate = at(gateUp, 2 * first * width);
  let y = at(target, first * width);
  for (let row = first; row < last; row++) {
    const up = at(gate, width);
    let i = 0;
    for (; i + 4 <= width; i += 4) {
      v128.store(at(y, i), unit(v128.load(at(gate, i)), v128.load(at(up, i)), gelu));
    }
    for (; i < width; i++) {
      v128.store32_lane(at(y, i), unit(v128.load32_splat(at(gate, i)), v128.load32_splat(at(up, i)), gelu), 0);
    }
    gate = at(up, width);
    y = at(y, width);
  }
}

/** d gate = dy ⊙ up ⊙ s(1 + z·k′(1 − s)), where s = σ(k(z)). */
@inline
function gradientOfGate(z: v128, s: v128, up: v128, dy: v128, gelu: i32): v128 {
  const one = f32x4.splat(1);
  const slope = f32x4.mul(s, f32x4.add(one, f32x4.mul(scaledSlope(z, gelu), f32x4.sub(one, s))));
  return f32x4.mul(f32x4.mul(dy, up), slope);
}

export function gatedUnitGradient(
  first: i32,
  last: i32,
  gateUp: usize,
  dys: usize,
  width: i32,
  target: usize,
  gelu: i32,
): void {
  let gate = at(gateUp, 2 * first * width);
  let dgate = at(target, 2 * first * width);
  let dy = at(dys, first * width);
  for (let row = first; row < last; row++) {
    const up = at(gate, width);
    const dup = at(dgate, width);
    let i = 0;
    for (; i + 4 <= width; i += 4) {
      const z = v128.load(at(gate, i)), s = sigmoid(argument(z, gelu)), d = v128.load(at(dy, i));
      v128.store(at(dgate, i), gradientOfGate(z, s, v128.load(at(up, i)), d, gelu));
      v128.store(at(dup, i), f32x4.mul(d, f32x4.mul(z, s)));
    }
    for (; i < width; i++) {
      const z = v128.load32_splat(at(gate, i)), s = sigmoid(argument(z, gelu)), d = v128.load32_splat(at(dy, i));
      v128.store32_lane(at(dgate, i), gradientOfGate(z, s, v128.load32_splat(at(up, i)), d, gelu), 0);
      v128.store32_lane(at(dup, i), f32x4.mul(d, f32x4.mul(z, s)), 0);
    }
    gate = at(up, width);
    dgate = at(dup, width);
    dy = at(dy, width);
  }
}
