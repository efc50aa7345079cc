/**
 * The rotation on WebGPU. Without norms an item is one pair of pieces that turn together; on a CPU it is a row, which needs its angles
 * only once. With norms it is a whole head, whose sum of squares one invocation takes from named vectors. In the backward pass it is a
 * head of some rows in turn, so that the gradients of the scales come as few partial sums.
 */
import { f32, u32, type Binding, type GpuDispatcher, type UniformWord } from '../../backend/dispatch.ts';
import { type WebGpuBody, input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { launchItems } from '../shared/launch.ts';
import { addRowSums } from '../columnSums/columnSums.ts';
import { rowVectors, shifted, shiftKey, widestPiece, type RowVectors } from '../shared/vectors.ts';
import type { HeadRotationAttributes, HeadRotationGradientAttributes } from './wasm.ts';

/** The rows in one partial sum of the gradient of a scale. */
const ROWS_PER_SUM = 16;

export const headRotationOnWebGpu: WebGpuBody<HeadRotationAttributes> = (gpu, inputs, attributes) => {
  const qkv = input(inputs, 'qkv');
  const y = gpu.allocate([...qkv.shape], 'float32');
  if (inputs['queryNorm']) normalizeAndTurn(gpu, inputs, y, attributes);
  else turn(gpu, inputs, qkv, y, 1, attributes);
  return [y];
};

/** Outputs d qkv. */
export const headRotationGradientOnWebGpu: WebGpuBody<HeadRotationGradientAttributes> = (
  gpu,
  inputs,
  attributes,
  context,
) => {
  const dy = input(inputs, 'dy');
  const dqkv = gpu.allocate([...dy.shape], 'float32');
  if (inputs['queryNorm']) {
    const { heads, kvHeads, headDim } = attributes;
    const queries = { first: 0, turned: heads, items: heads };
    const keysAndValues = { first: heads, turned: kvHeads, items: 2 * kvHeads };
    const scaleOf = (name: string, offset: number) => ({
      tensor: input(inputs, name),
      offset,
      length: headDim,
    });
    const gradientOf = (name: string, offset: number) => (inputs[name] ? scaleOf(name, offset) : null);
    normGradient(gpu, inputs, dqkv, attributes, context, {
      ...queries,
      scale: scaleOf('queryNorm', attributes.queryNormOffset),
      scaleGradient: gradientOf('queryNormGradient', attributes.queryNormGradientOffset),
    });
    normGradient(gpu, inputs, dqkv, attributes, context, {
      ...keysAndValues,
      scale: scaleOf('keyNorm', attributes.keyNormOffset),
      scaleGradient: gradientOf('keyNormGradient', attributes.keyNormGradientOffset),
    });
  } else {
    turn(gpu, inputs, dy, dqkv, -1, attributes);
  }
  return [dqkv];
};

/** Turns queries and keys by `sign` times their angles and copies values. */
function turn(
  gpu: GpuDispatcher,
  inputs: Inputs,
  x: TensorInfo,
  y: TensorInfo,
  sign: 1 | -1,
  { heads, kvHeads, headDim }: HeadRotationAttributes,
): void {
  const { type, size } = widestPiece(headDim / 2);
  const half = headDim / 2 / size;
  const rowHeads = heads + 2 * kvHeads;
  const rows = x.shape[0] ?? 0;
  launchItems(gpu, {
    key: gpu.software ? `turn-rows-${headDim}` : `turn-heads-${type}`,
    items: gpu.software ? rows : rows * rowHeads * half,
    reads: {
      [`x: ${type}`]: x,
      'positions: i32': input(inputs, 'positions'),
      [`cosines: ${type}`]: input(inputs, 'cosines'),
      [`sines: ${type}`]: input(inputs, 'sines'),
    },
    writes: { [`y: ${type}`]: y },
    uniforms: { half: u32(half), rowHeads: u32(rowHeads), turned: u32(heads + kvHeads), sign: f32(sign) },
    body: () => (gpu.software ? turnRow(headDim) : TURN_PAIR),
  });
}

const TURN_PAIR = /* wgsl */ `
  let headAt = item / params.half;
  let i = item % params.half;
  let first = headAt * 2u * params.half + i;
  let second = first + params.half;
  let x1 = x[first];
  let x2 = x[second];
  if (headAt % params.rowHeads < params.turned) {
    let entry = u32(positions[headAt / params.rowHeads]) * params.half + i;
    let c = cosines[entry];
    let s = params.sign * sines[entry];
    y[first] = x1 * c - x2 * s;
    y[second] = x2 * c + x1 * s;
  } else {
    y[first] = x1;
    y[second] = x2;
  }`;

function turnRow(headDim: number): string {
  const { count, each } = halfVectors(headDim);
  const copy = (piece: number): string => `y[at + ${piece}u] = x[at + ${piece}u];`;
  return /* wgsl */ `
  let entry = u32(positions[item]) * ${count}u;
  ${each((i) => `let c${i} = cosines[entry + ${i}u];\nlet s${i} = params.sign * sines[entry + ${i}u];`)}
  var at = item * params.rowHeads * ${2 * count}u;
  let firstValue = at + params.turned * ${2 * count}u;
  let end = at + params.rowHeads * ${2 * count}u;
  for (; at < firstValue; at += ${2 * count}u) {
    ${each(
      (i) => `let a${i} = x[at + ${i}u];
    let b${i} = x[at + ${count + i}u];
    y[at + ${i}u] = a${i} * c${i} - b${i} * s${i};
    y[at + ${count + i}u] = b${i} * c${i} + a${i} * s${i};`,
    )}
  }
  for (; at < end; at += ${2 * count}u) { ${each((i) => copy(i) + copy(count + i))} }`;
}

/** The pieces of the two halves of a head: `each` and `sum` run over the first half, whose pieces are `a…` beside `b…`. */
const halfVectors = (headDim: number): RowVectors => rowVectors(headDim / 2);

function normUniforms(
  { headDim, epsilon }: HeadRotationAttributes,
  rowHeads: number,
): Record<string, UniformWord> {
  return { rowHeads: u32(rowHeads), epsilon: f32(epsilon), perHead: f32(1 / headDim) };
}

function normalizeAndTurn(
  gpu: GpuDispatcher,
  inputs: Inputs,
  y: TensorInfo,
  attributes: HeadRotationAttributes,
): void {
  const { heads, kvHeads, headDim, shift, queryNormOffset, keyNormOffset } = attributes;
  const scaleAt = (i: number): string => shifted(`select(keyNorm[${i}u], queryNorm[${i}u], isQuery)`, shift);
  const { type, count, inner, each, sum } = halfVectors(headDim);
  const rowHeads = heads + 2 * kvHeads;
  launchItems(gpu, {
    key: `normalize-and-turn-heads-${headDim}${shiftKey(shift)}`,
    items: (y.shape[0] ?? 0) * rowHeads,
    reads: {
      [`x: ${type}`]: input(inputs, 'qkv'),
      'positions: i32': input(inputs, 'positions'),
      [`cosines: ${type}`]: input(inputs, 'cosines'),
      [`sines: ${type}`]: input(inputs, 'sines'),
      [`queryNorm: ${type}`]: {
        tensor: input(inputs, 'queryNorm'),
        offset: queryNormOffset,
        length: headDim,
      },
      [`keyNorm: ${type}`]: { tensor: input(inputs, 'keyNorm'), offset: keyNormOffset, length: headDim },
    },
    writes: { [`y: ${type}`]: y },
    uniforms: {
      ...normUniforms(attributes, rowHeads),
      heads: u32(heads),
      turned: u32(heads + kvHeads),
    },
    declarations: () => inner,
    body: () => /* wgsl */ `
  let at = item * ${2 * count}u;
  ${each((i) => `let a${i} = x[at + ${i}u];\nlet b${i} = x[at + ${count + i}u];`)}
  let head = item % params.rowHeads;
  if (head >= params.turned) {
    ${each((i) => `y[at + ${i}u] = a${i};\ny[at + ${count + i}u] = b${i};`)}
    return;
  }
  let r = inverseSqrt((${sum((i) => `inner(a${i}, a${i}) + inner(b${i}, b${i})`)}) * params.perHead + params.epsilon);
  let entry = u32(positions[item / params.rowHeads]) * ${count}u;
  let isQuery = head < params.heads;
  ${each(
    (i) => `{
    let c = cosines[entry + ${i}u];
    let s = sines[entry + ${i}u];
    let first = a${i} * r * ${scaleAt(i)};
    let second = b${i} * r * ${scaleAt(count + i)};
    y[at + ${i}u] = first * c - second * s;
    y[at + ${count + i}u] = second * c + first * s;
  }`,
  )}`,
  });
}

/** The heads of a row that share a scale: `turned` heads from `first` on, and after them, up to `items`, those that are only copied. */
interface HeadGroup {
  readonly first: number;
  readonly turned: number;
  readonly items: number;
  readonly scale: Binding;
  /** The gradient of the scale; null if it is frozen. */
  readonly scaleGradient: {
    readonly tensor: TensorInfo;
    readonly offset: number;
    readonly length: number;
  } | null;
}

/** The gradient of the norm. With n = x · r ⊙ γ turned into y, dn turned back from dy and g = dn ⊙ γ: dx = r · (g − x · r² · mean(g ⊙ x)). */
function normGradient(
  gpu: GpuDispatcher,
  inputs: Inputs,
  dqkv: TensorInfo,
  attributes: HeadRotationAttributes,
  { dispose }: CompositeContext,
  group: HeadGroup,
): void {
  const { heads, kvHeads, headDim, shift } = attributes;
  const { type, count, inner, each, sum } = halfVectors(headDim);
  const rows = dqkv.shape[0] ?? 0;
  const chunks = Math.ceil(rows / ROWS_PER_SUM);
  const partials = gpu.allocate([chunks * group.turned, headDim], 'float32');
  launchItems(gpu, {
    key: `normalized-heads-gradient-${headDim}${shiftKey(shift)}`,
    items: chunks * group.items,
    reads: {
      [`x: ${type}`]: input(inputs, 'qkv'),
      [`dy: ${type}`]: input(inputs, 'dy'),
      'positions: i32': input(inputs, 'positions'),
      [`cosines: ${type}`]: input(inputs, 'cosines'),
      [`sines: ${type}`]: input(inputs, 'sines'),
      [`scale: ${type}`]: group.scale,
    },
    writes: { [`dx: ${type}`]: dqkv, [`partials: ${type}`]: partials },
    uniforms: {
      ...normUniforms(attributes, heads + 2 * kvHeads),
      rows: u32(rows),
      first: u32(group.first),
      turned: u32(group.turned),
      heads: u32(group.items),
    },
    declarations: () => inner,
    body: () => /* wgsl */ `
  let head = item % params.heads;
  let chunk = item / params.heads;
  let lastRow = min((chunk + 1u) * ${ROWS_PER_SUM}u, params.rows);
  ${each((i) => `var da${i} = ${type}();\nvar db${i} = ${type}();`)}
  for (var row = chunk * ${ROWS_PER_SUM}u; row < lastRow; row++) {
    let at = (row * params.rowHeads + params.first + head) * ${2 * count}u;
    if (head >= params.turned) {
      ${each((i) => `dx[at + ${i}u] = dy[at + ${i}u];\ndx[at + ${count + i}u] = dy[at + ${count + i}u];`)}
      continue;
    }
    ${each((i) => `let a${i} = x[at + ${i}u];\nlet b${i} = x[at + ${count + i}u];`)}
    let entry = u32(positions[row]) * ${count}u;
    ${each(
      (i) => `
    let c${i} = cosines[entry + ${i}u];
    let s${i} = sines[entry + ${i}u];
    let y${i} = dy[at + ${i}u];
    let z${i} = dy[at + ${count + i}u];
    let n${i} = y${i} * c${i} + z${i} * s${i};
    let m${i} = z${i} * c${i} - y${i} * s${i};
    let g${i} = n${i} * ${shifted(`scale[${i}u]`, shift)};
    let h${i} = m${i} * ${shifted(`scale[${count + i}u]`, shift)};`,
    )}
    let r = inverseSqrt((${sum((i) => `inner(a${i}, a${i}) + inner(b${i}, b${i})`)}) * params.perHead + params.epsilon);
    let pull = (${sum((i) => `inner(g${i}, a${i}) + inner(h${i}, b${i})`)}) * params.perHead * r * r;
    ${each(
      (i) => `
    dx[at + ${i}u] = r * (g${i} - a${i} * pull);
    dx[at + ${count + i}u] = r * (h${i} - b${i} * pull);
    da${i} += n${i} * a${i} * r;
    db${i} += m${i} * b${i} * r;`,
    )}
  }
  if (head < params.turned) {
    let partialAt = (chunk * params.turned + head) * ${2 * count}u;
    ${each((i) => `partials[partialAt + ${i}u] = da${i};\npartials[partialAt + ${count + i}u] = db${i};`)}
  }`,
  });
  if (group.scaleGradient) addRowSums(gpu, partials, group.scaleGradient, dispose);
  dispose(partials);
}
