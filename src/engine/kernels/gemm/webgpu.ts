import {
  foldedGrid,
  u32,
  type Binding,
  type DispatchRequest,
  type GpuDispatcher,
  type TensorPart,
} from '../../backend/dispatch.ts';
import { type WebGpuBody, input } from '../../backend/kernelRegistry.ts';
import type { FrozenFormat } from '../frozenMatrix/frozenMatrix.ts';
import { matrixView, type MatrixView } from '../frozenMatrix/matrixView.ts';
import { blockBindings } from '../frozenMatrix/wgsl.ts';
import { directShader } from './directShader.ts';
import { gemmVariant, UNIFORMS, variantKey, type GemmTarget, type GemmVariant } from './operands.ts';
import { planName, type GemmPlan, planOf } from './plan.ts';
import type { GemmLayout, GemmShape } from './shape.ts';
import { tiledShader } from './tiledShader.ts';
import type { GemmAttributes, GemmIntoAttributes } from './wasm.ts';

export const gemmOnWebGpu: WebGpuBody<GemmAttributes> = (gpu, inputs, attributes) => {
  const { m, n, k, aOffset, biasOffset } = attributes;
  const c = gpu.allocate([m, n], 'float32');
  const { bias, residual } = inputs;
  multiplyBlocks(gpu, attributes, matrixView(inputs, 'b', attributes.b), {
    a: { tensor: input(inputs, 'a'), offset: aOffset, length: m * k },
    bias: bias && { tensor: bias, offset: biasOffset, length: n },
    residual: residual && { tensor: residual, offset: 0, length: m * n },
    c: { tensor: c, offset: 0, length: m * n },
  });
  return [c];
};

export const gemmIntoOnWebGpu: WebGpuBody<GemmIntoAttributes> = (gpu, inputs, attributes) => {
  const { m, n, k, aOffset, bOffset, targetOffset } = attributes;
  multiply(gpu, attributes, {
    a: { tensor: input(inputs, 'a'), offset: aOffset, length: m * k },
    b: [{ tensor: input(inputs, 'b'), offset: bOffset, length: n * k }],
    c: { tensor: input(inputs, 'target'), offset: targetOffset, length: m * n },
    target: 'add',
  });
  return [];
};

export interface GemmOperands {
  readonly a: Binding;
  /** The words and, for `q8` and `q4`, the scales of B. */
  readonly b: readonly Binding[];
  /** The format of B; f32 by default. */
  readonly format?: FrozenFormat;
  readonly bias?: Binding | undefined;
  readonly residual?: Binding | undefined;
  readonly c: Binding;
  /** The target; `overwrite` by default. */
  readonly target?: GemmTarget;
  /** The elements from row to row of A, and of C and the residual, if they are parts of wider matrices. */
  readonly aRow?: number;
  readonly cRow?: number;
}

export type Product = GemmShape & { readonly layout: GemmLayout };

export function multiply(gpu: GpuDispatcher, product: Product, given: GemmOperands): void {
  gpu.dispatch(gemmDispatch(product, given, planOf(gpu, product)));
}

const after = ({ tensor, offset, length }: TensorPart, elements: number): TensorPart => ({
  tensor,
  offset: offset + elements,
  length: length - elements,
});

/**
 * C = op(A) · op(B) [+ bias] [+ residual] with the blocks of a matrix for B. In `nt` each block gives a range of columns of C, else a
 * range of K, over which the sums continue.
 */
export function multiplyBlocks(
  gpu: GpuDispatcher,
  product: Product,
  matrix: MatrixView,
  {
    a,
    bias,
    residual,
    c,
  }: Record<'a' | 'c', TensorPart> & { bias?: TensorPart | undefined; residual?: TensorPart | undefined },
): void {
  const { m, n, k, layout } = product;
  const strides = { aRow: layout === 'tn' ? m : k, cRow: n };
  for (const block of matrix.blocks) {
    const { firstRow, rows, format } = block;
    const common = { b: blockBindings(matrix, block), format, ...strides };
    if (layout === 'nt') {
      const ends = { bias: bias && after(bias, firstRow), residual: residual && after(residual, firstRow) };
      multiply(gpu, { ...product, n: rows }, { ...common, a, c: after(c, firstRow), ...ends });
    } else {
      const target = firstRow > 0 ? 'continue' : 'overwrite';
      const ends = firstRow + rows === k ? { bias, residual } : {};
      const first = firstRow * (layout === 'tn' ? m : 1);
      multiply(gpu, { ...product, k: rows }, { ...common, a: after(a, first), c, target, ...ends });
    }
  }
}

/** The dispatch that computes a product by a plan. */
export function gemmDispatch(product: Product, given: GemmOperands, plan: GemmPlan): DispatchRequest {
  const { m, n, k, layout } = product;
  const { a, b, bias, residual, c, format = 'f32', target = 'overwrite' } = given;
  const { aRow = layout === 'tn' ? m : k, cRow = n } = given;
  const flags = { format, target, bias: !!bias, residual: !!residual };
  const variant = gemmVariant(layout, product, { aRow, cRow }, flags);
  const { workgroups, groupsPerRow } = gridOf(plan, product);
  const uniforms: Record<(typeof UNIFORMS)[number], number> = { m, n, k, groupsPerRow, aRow, cRow };
  return {
    key: `gemm-${variantKey(variant)}-${planName(plan)}`,
    code: () => shaderOf(variant, plan),
    reads: [a, ...b, bias, residual].filter((binding) => binding !== undefined),
    writes: [c],
    uniforms: UNIFORMS.map((name) => u32(uniforms[name])),
    workgroups,
    work: m * n * k,
  };
}

function shaderOf(variant: GemmVariant, plan: GemmPlan): string {
  return plan.kind === 'direct' ? directShader(variant, plan) : tiledShader(variant, plan);
}

function gridOf(plan: GemmPlan, { m, n }: GemmShape): { workgroups: [number, number]; groupsPerRow: number } {
  if (plan.kind === 'tiled') {
    return { workgroups: [Math.ceil(n / plan.width), Math.ceil(m / plan.height)], groupsPerRow: 0 };
  }
  const across = Math.ceil(n / (4 * plan.columns));
  const items = (plan.quads ? Math.ceil(across / 4) * 4 : across) * Math.ceil(m / plan.rows);
  return foldedGrid(items, plan.group);
}
