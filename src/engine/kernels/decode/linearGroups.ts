/**
 * A linear map for hardware. A workgroup computes 8 rows of 8 vectors of columns. Its 64 invocations are 8 vectors of columns times 8
 * slices of K; slice s takes every eighth step of K, and the slices are added in ascending order. So even one row keeps many invocations
 * loading, and a load of the matrix serves 8 rows.
 */
import { lines } from '../shared/vectors.ts';
import { scaledSum, type LinearCode, type Sum } from './linearCode.ts';
import { kindsOf, type DecodeKernel } from './program.ts';
import { listCode } from './rows.ts';

const ROWS = 8;
const COLUMNS = 8;
const SLICES = 8;
/** The numbers of rows that have code of their own, so that fewer rows than a whole tile are not computed eight times over. */
const ROW_CASES = [1, 4, ROWS] as const;

export function linearGroups(code: LinearCode): DecodeKernel {
  const { label, directives, declarations, functions, inputs, vectors, columns, firstColumn, sums } = code;
  const { scaleEpsilon, rowScale } = code;
  const columnTiles = Math.ceil(columns / COLUMNS);
  const steps = inputs / 4;
  const scaled = scaleEpsilon !== null;
  const multiply = ({ kind, targets }: Sum, r: number): string =>
    targets.map((j) => `sum${r}_${j} = ${kind.multiply(`sum${r}_${j}`, `a${r}`, j)};`).join('\n');
  const loop = (sum: Sum, s: number, rows: number): string => /* wgsl */ `
    for (var kk = slice; kk < ${sum.steps}; kk += ${SLICES}u) {
      ${sum.normed ? `let g = ${code.gamma};` : ''}
      ${lines(rows, (r) => `let a${r} = ${sum.kind.load(`at${s}_${r}`)}${sum.normed ? ' * g' : ''};`)}
      ${sum.fetch('kk')}
      ${lines(rows, (r) => multiply(sum, r))}
    }
    ${lines(rows, (r) => scaledSum(sum, `sum${r}`, `min(row0 + ${r}u, rows - 1u)`))}`;
  const loops = (rows: number): string => sums.map((sum, s) => loop(sum, s, rows)).join('');
  const startsOf = (sum: Sum, s: number): string => `${sum.declare}
  ${lines(ROWS, (r) => `let at${s}_${r} = ${sum.rowAt(`min(row0 + ${r}u, rows - 1u)`)};`)}`;
  const [one, few, all] = ROW_CASES;
  /** The sum over all slices of row r and the invocation's columns, where the partial sums lie. */
  const overSlices = (name: string, size: number, at: string): string =>
    Array.from({ length: SLICES }, (_, s) => `${name}[${s * size}u + ${at}]`).reduce(
      (sum, term) => `(${sum} + ${term})`,
    );
  return {
    label,
    code: /* wgsl */ `${directives}
${listCode(declarations)}${functions}
var<workgroup> partial: array<vec4f, ${ROWS * COLUMNS * SLICES}>;
${scaled ? `var<workgroup> squares: array<f32, ${ROWS * SLICES}>;` : ''}
@compute @workgroup_size(${COLUMNS * SLICES})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let rows = list.count;
  let row0 = group.y * ${ROWS}u;
  if (row0 >= rows) { return; }
  let lane = index % ${COLUMNS}u;
  let slice = index / ${COLUMNS}u;
  let item = group.x * ${COLUMNS}u + lane;
  let column = ${firstColumn}u + min(item, ${columns - 1}u);
  ${sums.map(startsOf).join('\n')}
  ${lines(ROWS, (r) => lines(vectors, (j) => `var sum${r}_${j} = vec4f();`))}
  if (rows - row0 == ${one}u) { ${loops(one)} } else if (rows - row0 <= ${few}u) { ${loops(few)} } else { ${loops(all)} }
  ${
    scaled
      ? // Lane l sums the squares of row l: there are as many lanes as rows.
        `var square = 0.0;
  let mine = min(row0 + lane, rows - 1u) * ${steps}u;
  for (var kk = slice; kk < ${steps}u; kk += ${SLICES}u) { let raw = x[mine + kk]; square += dot(raw, raw); }
  squares[slice * ${ROWS}u + lane] = square;`
      : ''
  }
  // Slice r finishes row r.
  ${lines(
    vectors,
    (j) => `${j === 0 ? '' : 'workgroupBarrier();'}
  ${lines(ROWS, (r) => `partial[(slice * ${ROWS}u + ${r}u) * ${COLUMNS}u + lane] = sum${r}_${j};`)}
  workgroupBarrier();
  let total${j} = ${overSlices('partial', ROWS * COLUMNS, `slice * ${COLUMNS}u + lane`)};`,
  )}
  let row = row0 + slice;
  if (row >= rows || item >= ${columns}u) { return; }
  ${scaled ? `let scale = inverseSqrt(${overSlices('squares', ROWS, 'slice')} / ${inputs}.0 + ${scaleEpsilon});` : ''}
  ${rowScale ? `let scale = ${rowScale('row')};` : ''}
  ${code.finish('row', (j) => (scaled || rowScale ? `total${j} * scale` : `total${j}`))}
}`,
    bindings: kindsOf(declarations),
    rowWork: code.rowWork,
    workgroups: (rows) => [columnTiles, Math.ceil(rows / ROWS)],
  };
}
