/** The gated unit, y = silu(gate) ⊙ up over rows gate | up of 2 · `width`; the formulas are in `kernels/gatedUnit`. Items are rows. */
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

@inline
function unit(gate: v128, up: v128): v128 {
  return f32x4.mul(f32x4.mul(gate, sigmoid(gate)), up);
}

export function gatedUnit(first: i32, last: i32, gateUp: usize, width: i32, target: usize): void {
  let gate = at(gateUp, 2 * first * width);
  let y = at(target, first * width);
  for (let row = first; row < last; row++) {
    const up = at(gate, width);
    let i = 0;
    for (; i + 4 <= width; i += 4) v128.store(at(y, i), unit(v128.load(at(gate, i)), v128.load(at(up, i))));
    for (; i < width; i++) {
      v128.store32_lane(at(y, i), unit(v128.load32_splat(at(gate, i)), v128.load32_splat(at(up, i))), 0);
    }
    gate = at(up, width);
    y = at(y, width);
  }
}

/** d gate = dy ⊙ up ⊙ σ(z)(1 + z(1 − σ(z))), where s = σ(z). */
@inline
function gradientOfGate(z: v128, s: v128, up: v128, dy: v128): v128 {
  const one = f32x4.splat(1);
  const slope = f32x4.mul(s, f32x4.add(one, f32x4.mul(z, f32x4.sub(one, s))));
  return f32x4.mul(f32x4.mul(dy, up), slope);
}

export function gatedUnitGradient(first: i32, last: i32, gateUp: usize, dys: usize, width: i32, target: usize): void {
  let gate = at(gateUp, 2 * first * width);
  let dgate = at(target, 2 * first * width);
  let dy = at(dys, first * width);
  for (let row = first; row < last; row++) {
    const up = at(gate, width);
    const dup = at(dgate, width);
    let i = 0;
    for (; i + 4 <= width; i += 4) {
      const z = v128.load(at(gate, i)), s = sigmoid(z), d = v128.load(at(dy, i));
      v128.store(at(dgate, i), gradientOfGate(z, s, v128.load(at(up, i)), d));
      v128.store(at(dup, i), f32x4.mul(d, f32x4.mul(z, s)));
    }
    for (; i < width; i++) {
      const z = v128.load32_splat(at(gate, i)), s = sigmoid(z), d = v128.load32_splat(at(dy, i));
      v128.store32_lane(at(dgate, i), gradientOfGate(z, s, v128.load32_splat(at(up, i)), d), 0);
      v128.store32_lane(at(dup, i), f32x4.mul(d, f32x4.mul(z, s)), 0);
    }
    gate = at(up, width);
    dgate = at(dup, width);
    dy = at(dy, width);
  }
}
