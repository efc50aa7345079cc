/**
 * A linear map of every row, with the steps before and after it in a block: RMSNorm of its input; an adapter, bias, residual or SwiGLU on
 * its output.
 *
 * The scale of RMSNorm is a factor of the whole sum, so the sum of squares is computed beside the product: norm(x)·W = (Σ xₖγₖWₖ) /
 * rms(x).
 */
import { lines } from '../shared/vectors.ts';
import { multiplyStep, type LinearCode, type Sum } from './linearCode.ts';
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
  return plan === 'groups' ? linearGroups(code) : linearItems(code);
}

/** The rows of an invocation. The last rows of a batch use code for a smaller number. */
const ROWS = 8;
const FEW_ROWS = 4;
/** The invocations of a workgroup: few, so that the few columns of a small model still make work for every core. */
const INVOCATIONS = 16;

/**
 * A linear map without workgroup memory. An invocation computes several rows of one vector of columns from registers, so that they share
 * each load of the matrix.
 */
function linearItems(code: LinearCode): DecodeKernel {
  const { label, declarations, functions, inputs, vectors, columns, firstColumn, sums, scaleEpsilon } = code;
  const scaled = scaleEpsilon !== null;
  const startsOf = (sum: Sum, s: number): string => `${sum.declare}
  ${lines(ROWS, (r) => `let at${s}_${r} = ${sum.rowAt(`min(row0 + ${r}u, rows - 1u)`)};`)}`;
  const load = (sum: Sum, s: number, r: number): string => {
    const from = `x[at${s}_${r} + kk]`;
    if (!sum.normed) return `let a${r} = ${from};`;
    const square = scaled ? `squares${r} += dot(raw${r}, raw${r});` : '';
    return `let raw${r} = ${from}; ${square} let a${r} = raw${r} * g;`;
  };
  const multiply = ({ targets }: Sum, r: number): string =>
    targets.map((j) => `sum${r}_${j} = ${multiplyStep(`sum${r}_${j}`, `a${r}`, j)};`).join('\n');
  const loop = (sum: Sum, s: number, rows: number): string => /* wgsl */ `
  for (var kk = 0u; kk < ${sum.steps}; kk++) {
    ${sum.normed ? 'let g = gamma[kk];' : ''}
    ${lines(rows, (r) => load(sum, s, r))}
    ${sum.fetch('kk')}
    ${lines(rows, (r) => multiply(sum, r))}
  }`;
  const loops = (rows: number): string => sums.map((sum, s) => loop(sum, s, rows)).join('');
  return {
    label,
    code: /* wgsl */ `${listCode(declarations)}${functions}
@compute @workgroup_size(${INVOCATIONS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let rows = list.count;
  let item = id.x % ${columns}u;
  let row0 = id.x / ${columns}u * ${ROWS}u;
  if (row0 >= rows) { return; }
  let column = ${firstColumn}u + item;
  ${sums.map(startsOf).join('\n')}
  ${scaled ? lines(ROWS, (r) => `var squares${r} = 0.0;`) : ''}
  ${lines(ROWS, (r) => lines(vectors, (j) => `var sum${r}_${j} = vec4f();`))}
  if (rows - row0 <= ${FEW_ROWS}u) { ${loops(FEW_ROWS)} } else { ${loops(ROWS)} }
  ${scaled ? lines(ROWS, (r) => `let scale${r} = inverseSqrt(squares${r} / ${inputs}.0 + ${scaleEpsilon});`) : ''}
  ${lines(
    ROWS,
    (r) =>
      `if (row0 + ${r}u < rows) { ${code.finish(`row0 + ${r}u`, (j) => (scaled ? `sum${r}_${j} * scale${r}` : `sum${r}_${j}`))} }`,
  )}
}`,
    bindings: kindsOf(declarations),
    rowWork: code.rowWork,
    workgroups: (rows) => [Math.ceil((Math.ceil(rows / ROWS) * columns) / INVOCATIONS)],
  };
}
