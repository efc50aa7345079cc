/**
 * A linear map of every row, with what comes before and after it in a block: RMSNorm of its input; bias, residual or SwiGLU
 * on its output. An output sums over K in an order that depends on the shape and the plan alone, never on the rows.
 *
 * The scale of RMSNorm is a factor of the whole sum, so the sum of squares is taken beside the product:
 * norm(x)·W = (Σ xₖγₖWₖ) / rms(x).
 */
import { lines, QUAD_SWAPS } from '../vectors.ts';
import { linearGroups } from './linearGroups.ts';
import {
  columnCount,
  columnVectors,
  epilogueStatement,
  fetchStep,
  linearDeclarations,
  linearFunctions,
  multiplyStep,
  type LinearSpec,
} from './linearSpec.ts';
import { kindsOf, type DecodeKernel, type DecodePlan } from './program.ts';
import { listCode } from './rows.ts';

/** Inputs, and outputs of `nn`, must be whole vectors of 4 (8 for `swiglu`). */
export function linearKernel(spec: LinearSpec, plan: DecodePlan): DecodeKernel {
  return plan === 'groups' ? linearGroups(spec) : linearItems(spec, plan === 'quads');
}

/** Rows of an invocation, and a smaller number that has code of its own, for the last rows of a batch. */
const ROWS = { quads: 16, items: 8 } as const;
const FEW_ROWS = 4;
/** Small, so that the few columns of a small model still make work for every core. */
const INVOCATIONS = 16;

/**
 * Linear map without workgroup memory: an invocation computes several rows of one vector of columns from registers, so that
 * they share each load of the matrix. With `quads` four neighbours have the same rows, each loads a quarter of them and they
 * swap: lane l's j-th row of four is l ^ j.
 */
function linearItems(spec: LinearSpec, quads: boolean): DecodeKernel {
  const { inputs, normEpsilon, label } = spec;
  const declarations = linearDeclarations(spec);
  const vectors = columnVectors(spec);
  const columns = columnCount(spec);
  // Four neighbours must have the same rows.
  const columnItems = Math.ceil(columns / 4) * 4;
  const rowsOfTile = quads ? ROWS.quads : ROWS.items;
  /** Vectors that an invocation loads itself in a step, of so many rows. */
  const loadsOf = (rows: number): number => (quads ? rows / 4 : rows);
  const loads = loadsOf(rowsOfTile);
  const rowOfLoad = (i: number): string => (quads ? `row0 + ${4 * i}u + lane` : `row0 + ${i}u`);
  const fromQuad = (name: string, r: number): string =>
    quads ? `${QUAD_SWAPS[r % 4]}(${name}${Math.floor(r / 4)})` : `${name}${r}`;
  const rowOf = (r: number): string =>
    quads ? `(row0 + ${r - (r % 4)}u + (lane ^ ${r % 4}u))` : `(row0 + ${r}u)`;
  const norm = normEpsilon !== null;
  const load = (i: number): string =>
    norm
      ? `let raw${i} = x[at${i} + kk]; squares${i} += dot(raw${i}, raw${i}); let own${i} = raw${i} * g;`
      : `let own${i} = x[at${i} + kk];`;
  const multiply = (r: number): string => `{
      let a = ${fromQuad('own', r)};
      ${lines(vectors, (j) => `sum${r}_${j} = ${multiplyStep(`sum${r}_${j}`, 'a', j)};`)}
    }`;
  const loop = (rows: number): string => /* wgsl */ `
  for (var kk = 0u; kk < ${inputs / 4}u; kk++) {
    ${norm ? 'let g = gamma[kk];' : ''}
    ${lines(loadsOf(rows), load)}
    ${fetchStep(spec, 'kk')}
    ${lines(rows, multiply)}
  }`;
  return {
    label,
    code: /* wgsl */ `${quads ? 'enable subgroups; diagnostic(off, subgroup_uniformity);' : ''}
${listCode(declarations)}${linearFunctions(spec)}
@compute @workgroup_size(${INVOCATIONS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let rows = list.count;
  let item = id.x % ${columnItems}u;
  let row0 = id.x / ${columnItems}u * ${rowsOfTile}u;
  if (row0 >= rows) { return; }
  let lane = item % 4u;
  let column = min(item, ${columns - 1}u);
  ${lines(loads, (i) => `let at${i} = min(${rowOfLoad(i)}, rows - 1u) * ${inputs / 4}u;`)}
  ${norm ? lines(loads, (i) => `var squares${i} = 0.0;`) : ''}
  ${lines(rowsOfTile, (r) => lines(vectors, (j) => `var sum${r}_${j} = vec4f();`))}
  if (rows - row0 <= ${FEW_ROWS}u) { ${loop(FEW_ROWS)} } else { ${loop(rowsOfTile)} }
  ${norm ? lines(loads, (i) => `let ownScale${i} = inverseSqrt(squares${i} / ${inputs}.0 + ${normEpsilon});`) : ''}
  ${norm ? lines(rowsOfTile, (r) => `let scale${r} = ${fromQuad('ownScale', r)};`) : ''}
  if (item >= ${columns}u) { return; }
  ${lines(
    rowsOfTile,
    (r) =>
      `if (${rowOf(r)} < rows) { ${epilogueStatement(spec, rowOf(r), (j) => `sum${r}_${j}`, norm ? `scale${r}` : null)} }`,
  )}
}`,
    bindings: kindsOf(declarations),
    rowWork: inputs * spec.outputs,
    workgroups: (rows) => Math.ceil((Math.ceil(rows / rowsOfTile) * columnItems) / INVOCATIONS),
  };
}
