/**
 * A matrix as the kernels of `gemm`, `embedding` and `tokenLogprobs` see it: blocks of rows. A tensor or a part of a pool is one block in
 * f32, so that one body serves trained and frozen matrices.
 */
import { type Inputs, input } from '../../backend/kernelRegistry.ts';
import type { Tensor, TensorInfo } from '../../backend/tf.ts';
import { offsetOf, tensorOf, type Operand } from '../shared/slice.ts';
import type { FrozenMatrix } from './frozenMatrix.ts';
import type { FormattedRows } from './layout.ts';

/** The attributes of a matrix in an op, besides its tensors. */
export interface MatrixAttributes {
  readonly rows: number;
  readonly columns: number;
  /** The blocks. `offset` is the first element of the block in its tensor, if the format is `f32`. */
  readonly blocks: readonly (FormattedRows & { readonly offset: number })[];
}

export interface BlockView extends FormattedRows {
  readonly words: TensorInfo;
  readonly offset: number;
  readonly scales: TensorInfo | null;
}

export interface MatrixView extends Omit<MatrixAttributes, 'blocks'> {
  readonly blocks: readonly BlockView[];
}

export function isFrozen(operand: Operand | FrozenMatrix): operand is FrozenMatrix {
  return 'blocks' in operand;
}

const wordsName = (name: string, block: number): string => (block === 0 ? name : `${name}${block}`);
const scalesName = (name: string, block: number): string => `${name}Scales${block}`;

/** The tensors of a matrix as inputs of an op; the first has the name itself. */
export function matrixInputs(name: string, matrix: Operand | FrozenMatrix): Record<string, Tensor> {
  if (!isFrozen(matrix)) return { [name]: tensorOf(matrix) };
  return Object.fromEntries(
    matrix.blocks.flatMap(({ words, scales }, i): [string, Tensor][] => [
      [wordsName(name, i), words],
      ...(scales ? [[scalesName(name, i), scales] as [string, Tensor]] : []),
    ]),
  );
}

export function matrixAttributes(matrix: Operand | FrozenMatrix): MatrixAttributes {
  const [rows = 0, columns = 0] = matrix.shape;
  if (!isFrozen(matrix)) {
    return { rows, columns, blocks: [{ firstRow: 0, rows, format: 'f32', offset: offsetOf(matrix) }] };
  }
  const blocks = matrix.blocks.map(({ firstRow, rows: count, format }) => {
    return { firstRow, rows: count, format, offset: 0 };
  });
  return { rows, columns, blocks };
}

/** The blocks, from an op's inputs and attributes. */
export function matrixView(inputs: Inputs, name: string, attributes: MatrixAttributes): MatrixView {
  const blocks = attributes.blocks.map((block, i) => ({
    ...block,
    words: input(inputs, wordsName(name, i)),
    scales: inputs[scalesName(name, i)] ?? null,
  }));
  return { ...attributes, blocks };
}
