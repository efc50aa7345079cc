/**
 * GEMM without workgroup memory: an invocation computes 4 x 4 of C from registers, reading A and B through the caches.
 * Free of barriers, it is several times faster on SwiftShader than a tiled kernel. Each element sums over K in ascending order.
 */
import { shaderHeader } from '../../backend/dispatch.ts';
import type { GemmLayout } from './shape.ts';

/** Rows and columns of C in one invocation. */
export const SIDE = 4;
/** Invocations in one workgroup. */
export const INVOCATIONS = 64;

const ROWS = [0, 1, 2, 3] as const;
const PARTS = ['x', 'y', 'z', 'w'] as const;

/** Whether the layout's vectors fit; M in `nn` and `nt` is free, since a batch may have any size. */
export function directFits(layout: GemmLayout, { m, n, k }: { m: number; n: number; k: number }): boolean {
  if (layout === 'nn') return n % 4 === 0 && k % 4 === 0;
  if (layout === 'nt') return k % 4 === 0;
  return m % 4 === 0 && n % 4 === 0;
}

const lines = (line: (row: number) => string): string => ROWS.map(line).join('\n');

/** One step of K for `nn`: four rows of B, four vectors of A. */
const STEP_NN = /* wgsl */ `
  for (var kk = 0u; kk < params.k / 4u; kk++) {
    ${lines((i) => `let b${i} = b[(kk * 4u + ${i}u) * columns + column];`)}
    ${lines((r) => `let a${r} = a[rowAt${r} + kk];`)}
    ${lines((r) => PARTS.map((part, i) => `acc${r} = fma(vec4f(a${r}.${part}), b${i}, acc${r});`).join(' '))}
  }`;

/** One step of K for `nt`: four dot products for each row of A. */
const STEP_NT = /* wgsl */ `
  for (var kk = 0u; kk < params.k / 4u; kk++) {
    ${lines((i) => `let b${i} = b[columnAt${i} + kk];`)}
    ${lines((r) => `let a${r} = a[rowAt${r} + kk];`)}
    ${lines((r) => `acc${r} += vec4f(${ROWS.map((i) => `dot(a${r}, b${i})`).join(', ')});`)}
  }`;

/** One step of K for `tn`: the outer product of a vector of A and one of B. */
const STEP_TN = /* wgsl */ `
  for (var kk = 0u; kk < params.k; kk++) {
    let av = a[kk * rows + rowGroup];
    let bv = b[kk * columns + column];
    ${lines((r) => `acc${r} = fma(vec4f(av.${PARTS[r]}), bv, acc${r});`)}
  }`;

export function directShader(layout: GemmLayout): string {
  const steps = { nn: STEP_NN, nt: STEP_NT, tn: STEP_TN };
  const wholeColumns = layout !== 'nt';
  const header = shaderHeader({
    reads: ['a: vec4f', 'b: vec4f'],
    writes: [wholeColumns ? 'c: vec4f' : 'c: f32'],
    uniforms: ['m: u32', 'n: u32', 'k: u32', 'groupsPerRow: u32'],
  });
  // Rows beyond the last repeat it; they are not stored.
  const rowStarts = lines((r) => `let rowAt${r} = min(row0 + ${r}u, params.m - 1u) * (params.k / 4u);`);
  const columnStarts = lines(
    (i) => `let columnAt${i} = min(column * 4u + ${i}u, params.n - 1u) * (params.k / 4u);`,
  );
  const store = (r: number) =>
    wholeColumns
      ? `if (row0 + ${r}u < params.m) { c[(row0 + ${r}u) * columns + column] = acc${r}; }`
      : PARTS.map(
          (part, i) =>
            `if (row0 + ${r}u < params.m && column * 4u + ${i}u < params.n) ` +
            `{ c[(row0 + ${r}u) * params.n + column * 4u + ${i}u] = acc${r}.${part}; }`,
        ).join('\n');
  return /* wgsl */ `${header}
@compute @workgroup_size(${INVOCATIONS})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let columns = (params.n + 3u) / 4u;
  let rows = (params.m + 3u) / 4u;
  let item = (group.y * params.groupsPerRow + group.x) * ${INVOCATIONS}u + index;
  let column = item % columns;
  let rowGroup = item / columns;
  if (rowGroup >= rows) { return; }
  let row0 = rowGroup * 4u;
  ${layout === 'tn' ? '' : rowStarts}
  ${layout === 'nt' ? columnStarts : ''}
  ${lines((r) => `var acc${r} = vec4f();`)}
  ${steps[layout]}
  ${lines(store)}
}
`;
}
