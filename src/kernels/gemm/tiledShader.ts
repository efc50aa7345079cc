/**
 * GEMM for shapes that vectors do not fit: a workgroup computes a 32 x 32 tile of C, each of its 64 threads 4 x 4. Every
 * output element sums over K in ascending order whatever the tiling, so its value does not depend on M or N.
 */
import { shaderHeader } from '../../backend/dispatch.ts';
import type { GemmLayout } from './shape.ts';

export const TILE = 32;

export function tiledShader(layout: GemmLayout): string {
  const aAt = layout === 'tn' ? 'a[kk * params.m + row]' : 'a[row * params.k + kk]';
  const bAt = layout === 'nt' ? 'b[col * params.k + kk]' : 'b[kk * params.n + col]';
  const accumulators = [0, 1, 2, 3].map((i) => `var acc${i} = vec4f(0.0);`).join('\n  ');
  const updates = [0, 1, 2, 3].map((i) => `acc${i} = fma(vec4f(av[${i}]), bv, acc${i});`).join('\n      ');
  const stores = [0, 1, 2, 3].map((i) => `store(row0 + ${i}u, col0, acc${i});`).join('\n  ');
  return /* wgsl */ `${shaderHeader({ reads: ['a: f32', 'b: f32'], writes: ['c: f32'], uniforms: ['m: u32', 'n: u32', 'k: u32'] })}
const DEPTH = 16u;
var<workgroup> tileA: array<array<f32, ${TILE}>, DEPTH>;
var<workgroup> tileB: array<array<f32, ${TILE}>, DEPTH>;

fn loadA(row: u32, kk: u32) -> f32 {
  if (row < params.m && kk < params.k) { return ${aAt}; }
  return 0.0;
}
fn loadB(kk: u32, col: u32) -> f32 {
  if (kk < params.k && col < params.n) { return ${bAt}; }
  return 0.0;
}
fn store(row: u32, col: u32, values: vec4f) {
  if (row >= params.m) { return; }
  if (col < params.n) { c[row * params.n + col] = values.x; }
  if (col + 1u < params.n) { c[row * params.n + col + 1u] = values.y; }
  if (col + 2u < params.n) { c[row * params.n + col + 2u] = values.z; }
  if (col + 3u < params.n) { c[row * params.n + col + 3u] = values.w; }
}

@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u, @builtin(local_invocation_index) index: u32) {
  let rowBase = group.y * ${TILE}u;
  let colBase = group.x * ${TILE}u;
  ${accumulators}
  for (var k0 = 0u; k0 < params.k; k0 += DEPTH) {
    for (var i = index; i < DEPTH * ${TILE}u; i += 64u) {
      let depth = i / ${TILE}u;
      let lane = i % ${TILE}u;
      tileA[depth][lane] = loadA(rowBase + lane, k0 + depth);
      tileB[depth][lane] = loadB(k0 + depth, colBase + lane);
    }
    workgroupBarrier();
    for (var depth = 0u; depth < DEPTH; depth++) {
      let ra = local.y * 4u;
      let cb = local.x * 4u;
      let av = vec4f(tileA[depth][ra], tileA[depth][ra + 1u], tileA[depth][ra + 2u], tileA[depth][ra + 3u]);
      let bv = vec4f(tileB[depth][cb], tileB[depth][cb + 1u], tileB[depth][cb + 2u], tileB[depth][cb + 3u]);
      ${updates}
    }
    workgroupBarrier();
  }
  let row0 = rowBase + local.y * 4u;
  let col0 = colBase + local.x * 4u;
  ${stores}
}
`;
}
