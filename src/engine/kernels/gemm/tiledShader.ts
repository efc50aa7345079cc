/**
 * GEMM with tiles in workgroup memory, for hardware: the workgroup loads a tile of A and one of B for `DEPTH` steps of K, and each
 * invocation computes `rows` x `columns` of C from them. Every element of C sums over K in ascending order by fused multiply-adds, as in
 * every other plan; steps beyond K add zero times zero.
 */
import { lines, range } from '../shared/vectors.ts';
import { operandCode, type GemmVariant } from './operands.ts';

export interface WorkgroupTile {
  /** The rows and columns of C that one workgroup computes. */
  readonly height: number;
  readonly width: number;
  /** The rows and columns of one invocation, multiples of four. */
  readonly rows: number;
  readonly columns: number;
}

const DEPTH = 8;
/** The floats between the rows of a tile, which keep columns from meeting in one memory bank. */
const PADDING = 4;

export const tiledInvocations = ({ height, width, rows, columns }: WorkgroupTile): number =>
  (height / rows) * (width / columns);

/** The bytes of workgroup memory of the two tiles. */
export const tiledBytes = ({ height, width }: WorkgroupTile): number =>
  4 * DEPTH * (height + width + 2 * PADDING);

export function tiledShader(variant: GemmVariant, tile: WorkgroupTile): string {
  const { height, width, rows, columns } = tile;
  const { layout } = variant;
  const across = width / columns;
  const down = height / rows;
  const invocations = across * down;
  const [rowGroups, columnGroups] = [rows / 4, columns / 4];
  // Groups of four are spread over the tile, so that neighbours read neighbouring words.
  const rowAt = (g: number): string => `${g * 4 * down}u + y * 4u`;
  const columnAt = (j: number): string => `${j * 4 * across}u + x * 4u`;
  /** The row and the piece of C of an accumulator, as arguments. */
  const place = (r: number, j: number): string =>
    `row0 + ${rowAt(Math.floor(r / 4))} + ${r % 4}u, (column0 + ${columnAt(j)}) / 4u`;
  const accumulators = lines(rows, (r) =>
    range(columnGroups)
      .map((j) => `var acc${r}_${j} = startOf(${place(r, j)});`)
      .join(' '),
  );
  const updates = lines(rows, (r) =>
    range(columnGroups)
      .map((j) => `acc${r}_${j} = fma(vec4f(a${Math.floor(r / 4)}[${r % 4}]), b${j}, acc${r}_${j});`)
      .join(' '),
  );
  return /* wgsl */ `${operandCode(variant)}
var<workgroup> tileA: array<f32, ${DEPTH * (height + PADDING)}>;
var<workgroup> tileB: array<f32, ${DEPTH * (width + PADDING)}>;
fn fourOfA(at: u32) -> vec4f { return vec4f(tileA[at], tileA[at + 1u], tileA[at + 2u], tileA[at + 3u]); }
fn fourOfB(at: u32) -> vec4f { return vec4f(tileB[at], tileB[at + 1u], tileB[at + 2u], tileB[at + 3u]); }
${tileLoader(variant, 'A', layout === 'tn', height, invocations)}
${tileLoader(variant, 'B', layout !== 'nt', width, invocations)}

@compute @workgroup_size(${invocations})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let x = index % ${across}u;
  let y = index / ${across}u;
  let row0 = group.y * ${height}u;
  let column0 = group.x * ${width}u;
  ${accumulators}
  for (var k0 = 0u; k0 < params.k; k0 += ${DEPTH}u) {
    loadTileA(row0, k0, index);
    loadTileB(column0, k0, index);
    workgroupBarrier();
    for (var depth = 0u; depth < ${DEPTH}u; depth++) {
      ${lines(rowGroups, (g) => `let a${g} = fourOfA(depth * ${height + PADDING}u + ${rowAt(g)});`)}
      ${lines(columnGroups, (j) => `let b${j} = fourOfB(depth * ${width + PADDING}u + ${columnAt(j)});`)}
      ${updates}
    }
    workgroupBarrier();
  }
  ${lines(rows, (r) =>
    range(columnGroups)
      .map((j) => `finish(${place(r, j)}, acc${r}_${j});`)
      .join(' '),
  )}
}
`;
}

/**
 * WGSL that copies DEPTH steps of K of `extent` rows of A (columns of B) into its tile, one row of the tile for each step. `alongExtent`
 * is true if the matrix has its pieces along M or N, and not along K.
 */
function tileLoader(
  variant: GemmVariant,
  name: 'A' | 'B',
  alongExtent: boolean,
  extent: number,
  invocations: number,
): string {
  const vectors = name === 'A' ? variant.aVectors : variant.bVectors;
  const limit = name === 'A' ? 'params.m' : 'params.n';
  const stride = name === 'A' ? 'aStride()' : 'bStride()';
  const row = extent + PADDING;
  const inside = '(along < limit && k < params.k)';
  if (!vectors) {
    // One element at a time: a piece could reach over the end of its row.
    const [alongOf, depthOf] = alongExtent
      ? [`i % ${extent}u`, `i / ${extent}u`]
      : [`i / ${DEPTH}u`, `i % ${DEPTH}u`];
    const at = alongExtent ? `k * ${stride} + along` : `along * ${stride} + k`;
    return /* wgsl */ `
fn loadTile${name}(first: u32, k0: u32, index: u32) {
  let limit = ${limit};
  for (var i = index; i < ${DEPTH * extent}u; i += ${invocations}u) {
    let along = first + ${alongOf};
    let k = k0 + ${depthOf};
    var value = 0.0;
    if ${inside} { value = element${name}(${at}); }
    tile${name}[(${depthOf}) * ${row}u + ${alongOf}] = value;
  }
}`;
  }
  const pieces = (DEPTH * extent) / 4;
  const [alongOf, depthOf] = alongExtent
    ? [`i % ${extent / 4}u * 4u`, `i / ${extent / 4}u`]
    : [`i / ${DEPTH / 4}u`, `i % ${DEPTH / 4}u * 4u`];
  const at = alongExtent ? `k * ${stride} + along / 4u` : `along * ${stride} + k / 4u`;
  const step = alongExtent ? 1 : row;
  return /* wgsl */ `
fn loadTile${name}(first: u32, k0: u32, index: u32) {
  let limit = ${limit};
  for (var i = index; i < ${pieces}u; i += ${invocations}u) {
    let along = first + ${alongOf};
    let k = k0 + ${depthOf};
    var values = vec4f();
    if ${inside} { values = load${name}(${at}); }
    let at = (${depthOf}) * ${row}u + ${alongOf};
    ${lines(4, (c) => `tile${name}[at + ${c * step}u] = values[${c}];`)}
  }
}`;
}
