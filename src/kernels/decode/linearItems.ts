/**
 * Linear map without workgroup memory: an invocation computes 8 rows of one vector of columns from registers. On SwiftShader
 * the eight rows share each load of the matrix; with `quads`, the loads of the rows are shared by four neighbours too.
 */
import { linearDeclarations, type LinearSpec } from './linearSpec.ts';
import {
  columnCount,
  columnVectors,
  epilogueStatement,
  fetchStep,
  linearFunctions,
  multiplyStep,
} from './linearParts.ts';
import { kindsOf, lines, type DecodeKernel } from './program.ts';
import { listCode } from './rows.ts';

const ROWS = 8;
/** Small, so that the few columns of a small model still make work for every core. */
const INVOCATIONS = 16;

export function linearItems(spec: LinearSpec, quads: boolean): DecodeKernel {
  const { inputs, normEpsilon, label } = spec;
  const declarations = linearDeclarations(spec);
  const vectors = columnVectors(spec);
  const columns = columnCount(spec);
  // Four neighbours must have the same rows.
  const columnItems = Math.ceil(columns / 4) * 4;
  /** Vectors that an invocation loads itself in a step, and the row that each belongs to. */
  const loads = quads ? ROWS / 4 : ROWS;
  const rowOfLoad = (i: number): string => (quads ? `row0 + ${4 * i}u + lane` : `row0 + ${i}u`);
  const fromQuad = (name: string, row: number): string =>
    quads ? `quadBroadcast(${name}${Math.floor(row / 4)}, ${row % 4}u)` : `${name}${row}`;
  const norm = normEpsilon !== null;
  const scale = (i: number): string => `inverseSqrt(squares${i} / ${inputs}.0 + ${normEpsilon})`;
  return {
    label,
    code: /* wgsl */ `${quads ? 'enable subgroups; diagnostic(off, subgroup_uniformity);' : ''}
${listCode(declarations)}${linearFunctions(spec)}
@compute @workgroup_size(${INVOCATIONS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let rows = list.count;
  let item = id.x % ${columnItems}u;
  let row0 = id.x / ${columnItems}u * ${ROWS}u;
  if (row0 >= rows) { return; }
  let lane = item % 4u;
  let column = min(item, ${columns - 1}u);
  ${lines(loads, (i) => `let at${i} = min(${rowOfLoad(i)}, rows - 1u) * ${inputs / 4}u;`)}
  ${norm ? lines(loads, (i) => `var squares${i} = 0.0;`) : ''}
  ${lines(ROWS, (r) => lines(vectors, (j) => `var sum${r}_${j} = vec4f();`))}
  for (var kk = 0u; kk < ${inputs / 4}u; kk++) {
    ${
      norm
        ? `let g = gamma[kk];
    ${lines(loads, (i) => `let raw${i} = x[at${i} + kk]; squares${i} += dot(raw${i}, raw${i}); let own${i} = raw${i} * g;`)}`
        : lines(loads, (i) => `let own${i} = x[at${i} + kk];`)
    }
    ${lines(ROWS, (r) => `let a${r} = ${fromQuad('own', r)};`)}
    ${fetchStep(spec, 'kk')}
    ${lines(ROWS, (r) => lines(vectors, (j) => `sum${r}_${j} = ${multiplyStep(`sum${r}_${j}`, `a${r}`, j)};`))}
  }
  ${norm ? lines(loads, (i) => `let ownScale${i} = ${scale(i)};`) : ''}
  ${norm ? lines(ROWS, (r) => `let scale${r} = ${fromQuad('ownScale', r)};`) : ''}
  if (item >= ${columns}u) { return; }
  ${lines(
    ROWS,
    (r) =>
      `if (row0 + ${r}u < rows) { ${epilogueStatement(spec, `row0 + ${r}u`, (j) => `sum${r}_${j}`, norm ? `scale${r}` : null)} }`,
  )}
}`,
    bindings: kindsOf(declarations),
    workgroups: (rows) => Math.ceil((Math.ceil(rows / ROWS) * columnItems) / INVOCATIONS),
  };
}
