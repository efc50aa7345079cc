/** Kernels that do the same to each vector of four of each row, before the blocks, between them and after them. */
import { matrixLoad } from '../frozenMatrix/wgsl.ts';
import type { FormattedRows } from '../frozenMatrix/layout.ts';
import { GATE_CODE } from './linearCode.ts';
import { kindsOf, matrixInputs, type DecodeKernel, type Declaration } from './program.ts';
import { LIST, listCode } from './rows.ts';

const ITEMS = 64;

/** One invocation for each vector of each row. */
function perVector(
  label: string,
  declarations: readonly Declaration[],
  vectors: number,
  body: string,
  functions = '',
): DecodeKernel {
  return {
    label,
    code: /* wgsl */ `${listCode(declarations)}${functions}
@compute @workgroup_size(${ITEMS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x / ${vectors}u;
  let piece = id.x % ${vectors}u;
  if (row >= list.count) { return; }
  ${body}
}`,
    bindings: kindsOf(declarations),
    rowWork: 0,
    workgroups: (rows) => [Math.ceil((rows * vectors) / ITEMS)],
  };
}

/** Writes the embedding of each row's token, times a factor, to x, if it is a row of the block. Bindings: list, the block's words, its scales if quantized, x. */
export function embedKernel(
  hiddenSize: number,
  { firstRow, rows, format }: FormattedRows,
  scale: number,
): DecodeKernel {
  const vectors = hiddenSize / 4;
  return perVector(
    `embed ${format}`,
    [LIST, ...matrixInputs(format), ['x', 'array<vec4f>', 'write']],
    vectors,
    `let inBlock = list.rows[row].token - ${firstRow}u;
  // A token before the block wraps round to a large number.
  if (inBlock < ${rows}u) { x[id.x] = fetch(inBlock * ${vectors}u + piece)${scale === 1 ? '' : ` * ${scale}`}; }`,
    matrixLoad('fetch', 'matrix', format),
  );
}

/** y = act(gate) ⊙ up, for a map whose matrix is in blocks. Bindings: list, gate | up, y. */
export function gatedKernel(mlpSize: number, unit: keyof typeof GATE_CODE): DecodeKernel {
  const vectors = mlpSize / 4;
  return perVector(
    unit,
    [LIST, ['gateUp', 'array<vec4f>', 'read'], ['y', 'array<vec4f>', 'write']],
    vectors,
    `let at = row * ${2 * vectors}u + piece;
  y[id.x] = act(gateUp[at]) * gateUp[at + ${vectors}u];`,
    GATE_CODE[unit],
  );
}

/** Sets x to the hidden state of each row's prompt. Bindings: list, hidden, x. */
export function recallKernel(hiddenSize: number): DecodeKernel {
  const vectors = hiddenSize / 4;
  return perVector(
    'recall',
    [LIST, ['hidden', 'array<vec4f>', 'read'], ['x', 'array<vec4f>', 'write']],
    vectors,
    `x[id.x] = hidden[list.rows[row].place * ${vectors}u + piece];`,
  );
}

/** Keeps x of the last token of each prompt. Bindings: list, x, hidden. */
export function keepKernel(hiddenSize: number): DecodeKernel {
  const vectors = hiddenSize / 4;
  return perVector(
    'keep',
    [LIST, ['x', 'array<vec4f>', 'read'], ['hidden', 'array<vec4f>', 'write']],
    vectors,
    `let place = list.rows[row].place;
  if (place > 0u) { hidden[(place - 1u) * ${vectors}u + piece] = x[id.x]; }`,
  );
}
