/** Norm over each head, then rotation of its halves; the formulas are in `kernels/headRotation`. The norms' scales are γ + `shift`. */
import { at, plusProduct, sumOfLanes } from './vector';

/** from ⊙ (γ + shift) · r, or `from` itself if there is no norm (address 0). */
@inline
function scaled(from: usize, i: i32, gamma: usize, shift: f32, r: v128): v128 {
  const x = v128.load(at(from, i));
  return gamma == 0 ? x : f32x4.mul(f32x4.mul(x, r), f32x4.add(v128.load(at(gamma, i)), f32x4.splat(shift)));
}

@inline
function scaled1(from: usize, i: i32, gamma: usize, shift: f32, r: f32): f32 {
  const x = load<f32>(at(from, i));
  return gamma == 0 ? x : x * r * (load<f32>(at(gamma, i)) + shift);
}

/** Σ a ⊙ b over a head. */
function inner(a: usize, b: usize, size: i32): f32 {
  let sum = f32x4.splat(0);
  let i = 0;
  for (; i + 4 <= size; i += 4) sum = plusProduct(sum, v128.load(at(a, i)), v128.load(at(b, i)));
  let rest: f32 = 0;
  for (; i < size; i++) rest += load<f32>(at(a, i)) * load<f32>(at(b, i));
  return sumOfLanes(sum) + rest;
}

@inline
function reciprocalRms(x: usize, size: i32, epsilon: f32): f32 {
  return 1 / sqrt<f32>(inner(x, x, size) / <f32>size + epsilon);
}

/** Turns a head, after its norm where there is one, by its angles times `direction`: 1, or −1 for the inverse. */
@inline
function rotateHead(
  from: usize,
  to: usize,
  gamma: usize,
  shift: f32,
  cosines: usize,
  sines: usize,
  direction: f32,
  half: i32,
  epsilon: f32,
): void {
  const r: f32 = gamma == 0 ? 1 : reciprocalRms(from, 2 * half, epsilon);
  const r4 = f32x4.splat(r);
  let i = 0;
  for (; i + 4 <= half; i += 4) {
    const a = scaled(from, i, gamma, shift, r4);
    const b = scaled(from, i + half, gamma, shift, r4);
    const c = v128.load(at(cosines, i));
    const s = f32x4.mul(v128.load(at(sines, i)), f32x4.splat(direction));
    v128.store(at(to, i), f32x4.sub(f32x4.mul(a, c), f32x4.mul(b, s)));
    v128.store(at(to, i + half), f32x4.add(f32x4.mul(b, c), f32x4.mul(a, s)));
  }
  for (; i < half; i++) {
    const a = scaled1(from, i, gamma, shift, r);
    const b = scaled1(from, i + half, gamma, shift, r);
    const c = load<f32>(at(cosines, i));
    const s = load<f32>(at(sines, i)) * direction;
    store<f32>(at(to, i), a * c - b * s);
    store<f32>(at(to, i + half), b * c + a * s);
  }
}

/** Rotates heads. Items are rows q | k | v; a norm at address 0 is left out. */
export function headRotation(
  first: i32,
  last: i32,
  qkv: usize,
  positions: usize,
  cosines: usize,
  sines: usize,
  queryNorm: usize,
  keyNorm: usize,
  output: usize,
  heads: i32,
  kvHeads: i32,
  headDim: i32,
  epsilon: f32,
  shift: f32,
): void {
  const half = headDim >> 1;
  const width = (heads + 2 * kvHeads) * headDim;
  for (let row = first; row < last; row++) {
    const entry = load<i32>(at(positions, row)) * half;
    let from = at(qkv, row * width);
    let to = at(output, row * width);
    for (let head = 0; head < heads + kvHeads; head++) {
      const gamma = head < heads ? queryNorm : keyNorm;
      rotateHead(from, to, gamma, shift, at(cosines, entry), at(sines, entry), 1, half, epsilon);
      from = at(from, headDim);
      to = at(to, headDim);
    }
    memory.copy(to, from, <usize>(kvHeads * headDim) << 2);
  }
}

/** Turns the gradient of the normed head in `dx` into that of the head itself, in place, and adds to the gradient of γ. */
function normGradient(
  x: usize,
  dx: usize,
  gamma: usize,
  shift: f32,
  gammaGradient: usize,
  size: i32,
  epsilon: f32,
): void {
  const r = reciprocalRms(x, size, epsilon);
  for (let i = 0; i < size; i++) {
    const d = load<f32>(at(dx, i));
    store<f32>(at(gammaGradient, i), load<f32>(at(gammaGradient, i)) + d * load<f32>(at(x, i)) * r);
    store<f32>(at(dx, i), d * (load<f32>(at(gamma, i)) + shift));
  }
  const pull = (inner(dx, x, size) / <f32>size) * r * r;
  for (let i = 0; i < size; i++) {
    store<f32>(at(dx, i), r * (load<f32>(at(dx, i)) - load<f32>(at(x, i)) * pull));
  }
}

/**
 * The gradient of the rotation. Items are chunks of `chunk` rows. With norms, each chunk writes its share of their gradients to row
 * `item` of `queryParts` and `keyParts` [chunks, headDim].
 */
export function headRotationGradient(
  first: i32,
  last: i32,
  qkv: usize,
  dy: usize,
  positions: usize,
  cosines: usize,
  sines: usize,
  queryNorm: usize,
  keyNorm: usize,
  output: usize,
  queryParts: usize,
  keyParts: usize,
  rows: i32,
  chunk: i32,
  heads: i32,
  kvHeads: i32,
  headDim: i32,
  epsilon: f32,
  shift: f32,
): void {
  const half = headDim >> 1;
  const width = (heads + 2 * kvHeads) * headDim;
  const headBytes = <usize>headDim << 2;
  for (let item = first; item < last; item++) {
    const queryPart = at(queryParts, item * headDim);
    const keyPart = at(keyParts, item * headDim);
    if (queryNorm != 0) {
      memory.fill(queryPart, 0, headBytes);
      memory.fill(keyPart, 0, headBytes);
    }
    const end = min((item + 1) * chunk, rows);
    for (let row = item * chunk; row < end; row++) {
      const entry = load<i32>(at(positions, row)) * half;
      let x = at(qkv, row * width);
      let from = at(dy, row * width);
      let to = at(output, row * width);
      for (let head = 0; head < heads + kvHeads; head++) {
        rotateHead(from, to, 0, 0, at(cosines, entry), at(sines, entry), -1, half, epsilon);
        if (queryNorm != 0) {
          const isQuery = head < heads;
          const gamma = isQuery ? queryNorm : keyNorm;
          normGradient(x, to, gamma, shift, isQuery ? queryPart : keyPart, headDim, epsilon);
        }
        x += headBytes;
        from += headBytes;
        to += headBytes;
      }
      memory.copy(to, from, <usize>kvHeads * headBytes);
    }
  }
}
