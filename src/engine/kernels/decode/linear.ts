/**
 * A linear map of every row, with the steps before and after it in a block: RMSNorm of its input; an adapter, bias, residual or SwiGLU on
 * its output.
 *
 * The scale of RMSNorm is a factor of the whole sum, so the sum of squares is computed beside the product: norm(x)·W = (Σ xₖγₖWₖ) /
 * rms(x).
 */
import { lines, QUAD_SWAPS } from '../shared/vectors.ts';
import { scaledSum, type LinearCode, type Sum } from './linearCode.ts';
import { linearGroups } from './linearGroups.ts';
import { linearCode, type LinearSpec } from './linearSpec.ts';
import { projectionCode, type ProjectionSpec } from './lowRank.ts';
import { kindsOf, type DecodeKernel, type DecodePlan } from './program.ts';
import { listCode } from './rows.ts';

/** Makes the kernel of a linear map. Inputs, and outputs of `nn`, must be whole vectors of 4 (8 for `swiglu`). */
export function linearKernel(spec: LinearSpec, plan: DecodePlan): DecodeKernel {
  return kernelOf(linearCode(spec), plan);
}

/** Makes the kernel that a linear map with an adapter needs before it: x·A of its input. Inputs must be whole vectors of 4. */
export function projectionKernel(spec: ProjectionSpec, plan: DecodePlan): DecodeKernel {
  return kernelOf(projectionCode(spec), plan);
}

function kernelOf(code: LinearCode, plan: DecodePlan): DecodeKernel {
  return plan === 'groups' ? linearGroups(code) : linearItems(code, plan === 'quads');
}

/** The rows of an invocation. The last rows of a batch use code for a smaller number. */
const ROWS = { quads: 16, items: 8 } as const;
const FEW_ROWS = 4;
/** The invocations of a workgroup: few, so that the few columns of a small model still make work for every core. */
const INVOCATIONS = 16;

/**
 * A linear map without workgroup memory. An invocation computes several rows of one vector of columns from registers, so that they share
 * each load of the matrix. With `quads` four neighbours have the same rows, each loads a quarter of them and they swap: lane l's j-th row
 * of four is l ^ j.
 */
function linearItems(code: LinearCode, quads: boolean): DecodeKernel {
  const { label, directives, declarations, functions, inputs, vectors, columns, firstColumn, sums } = code;
  const { scaleEpsilon, rowScale } = code;
  // Four neighbours must have the same rows.
  const columnItems = Math.ceil(columns / 4) * 4;
  const rowsOfTile = quads ? ROWS.quads : ROWS.items;
  const swaps = ({ shared }: Sum): boolean => quads && shared;
  /** The number of vectors of x that an invocation loads itself in a step for so many rows. */
  const loadsOf = (sum: Sum, rows: number): number => (swaps(sum) ? rows / 4 : rows);
  const rowOf = (r: number): string =>
    quads ? `(row0 + ${r - (r % 4)}u + (lane ^ ${r % 4}u))` : `(row0 + ${r}u)`;
  const rowOfLoad = (sum: Sum, i: number): string => (swaps(sum) ? `row0 + ${4 * i}u + lane` : rowOf(i));
  const fromQuad = (name: string, r: number): string => `${QUAD_SWAPS[r % 4]}(${name}${Math.floor(r / 4)})`;
  const loadedOf = (sum: Sum, r: number): string => (swaps(sum) ? fromQuad('own', r) : `own${r}`);

  const startsOf = (sum: Sum, s: number): string => `${sum.declare}
  ${lines(loadsOf(sum, rowsOfTile), (i) => `let at${s}_${i} = ${sum.rowAt(`min(${rowOfLoad(sum, i)}, rows - 1u)`)};`)}`;
  const load = (sum: Sum, s: number, i: number): string => {
    const from = sum.kind.load(`at${s}_${i}`);
    if (!sum.normed) return `let own${i} = ${from};`;
    const square = scaleEpsilon === null ? '' : `squares${i} += dot(raw${i}, raw${i});`;
    return `let raw${i} = ${from}; ${square} let own${i} = raw${i} * g;`;
  };
  const multiply = (sum: Sum, r: number): string => `{
      let a = ${loadedOf(sum, r)};
      ${sum.targets.map((j) => `sum${r}_${j} = ${sum.kind.multiply(`sum${r}_${j}`, 'a', j)};`).join('\n')}
    }`;
  const loop = (sum: Sum, s: number, rows: number): string => /* wgsl */ `
  for (var kk = 0u; kk < ${sum.steps}; kk++) {
    ${sum.normed ? `let g = ${code.gamma};` : ''}
    ${lines(loadsOf(sum, rows), (i) => load(sum, s, i))}
    ${sum.fetch('kk')}
    ${lines(rows, (r) => multiply(sum, r))}
  }
  ${lines(rows, (r) => scaledSum(sum, `sum${r}`, `min(${rowOf(r)}, rows - 1u)`))}`;
  const loops = (rows: number): string => sums.map((sum, s) => loop(sum, s, rows)).join('');

  const [first] = sums;
  const loads = first ? loadsOf(first, rowsOfTile) : 0;
  const scaled = scaleEpsilon !== null;
  /** The sum of row r, scaled. */
  const finished = (r: number, j: number): string => {
    if (rowScale) return `sum${r}_${j} * ${rowScale(rowOf(r))}`;
    return scaled ? `sum${r}_${j} * scale${r}` : `sum${r}_${j}`;
  };
  const scaleOf = (i: number): string => `inverseSqrt(squares${i} / ${inputs}.0 + ${scaleEpsilon})`;
  return {
    label,
    code: /* wgsl */ `${directives}${quads ? 'enable subgroups; diagnostic(off, subgroup_uniformity);' : ''}
${listCode(declarations)}${functions}
@compute @workgroup_size(${INVOCATIONS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let rows = list.count;
  let item = id.x % ${columnItems}u;
  let row0 = id.x / ${columnItems}u * ${rowsOfTile}u;
  if (row0 >= rows) { return; }
  let lane = item % 4u;
  let column = ${firstColumn}u + min(item, ${columns - 1}u);
  ${sums.map(startsOf).join('\n')}
  ${scaled ? lines(loads, (i) => `var squares${i} = 0.0;`) : ''}
  ${lines(rowsOfTile, (r) => lines(vectors, (j) => `var sum${r}_${j} = vec4f();`))}
  if (rows - row0 <= ${FEW_ROWS}u) { ${loops(FEW_ROWS)} } else { ${loops(rowsOfTile)} }
  ${scaled ? lines(loads, (i) => `let ownScale${i} = ${scaleOf(i)};`) : ''}
  ${scaled ? lines(rowsOfTile, (r) => `let scale${r} = ${quads ? fromQuad('ownScale', r) : `ownScale${r}`};`) : ''}
  if (item >= ${columns}u) { return; }
  ${lines(rowsOfTile, (r) => `if (${rowOf(r)} < rows) { ${code.finish(rowOf(r), (j) => finished(r, j))} }`)}
}`,
    bindings: kindsOf(declarations),
    rowWork: code.rowWork,
    workgroups: (rows) => [Math.ceil((Math.ceil(rows / rowsOfTile) * columnItems) / INVOCATIONS)],
  };
}
