import {
  foldedGrid,
  u32,
  type Binding,
  type DispatchRequest,
  type GpuDispatcher,
} from '../../backend/dispatch.ts';
import { type WebGpuBody, input, type Inputs } from '../../backend/kernelRegistry.ts';
import { directShader } from './directShader.ts';
import { gemmVariant, UNIFORMS, variantKey, type GemmVariant } from './operands.ts';
import { planName, type GemmPlan, planOf } from './plan.ts';
import type { GemmLayout, GemmShape } from './shape.ts';
import { tiledShader } from './tiledShader.ts';
import type { GemmAttributes, GemmIntoAttributes } from './wasm.ts';

export const gemmOnWebGpu: WebGpuBody<GemmAttributes> = (gpu, inputs, attributes) => {
  const { m, n, biasOffset } = attributes;
  const c = gpu.allocate([m, n], 'float32');
  const { bias, residual } = inputs;
  multiply(gpu, attributes, {
    ...operands(inputs, attributes),
    bias: bias && { tensor: bias, offset: biasOffset, length: n },
    residual,
    c,
    into: false,
  });
  return [c];
};

export const gemmIntoOnWebGpu: WebGpuBody<GemmIntoAttributes> = (gpu, inputs, attributes) => {
  const { m, n, targetOffset } = attributes;
  const c = { tensor: input(inputs, 'target'), offset: targetOffset, length: m * n };
  multiply(gpu, attributes, { ...operands(inputs, attributes), c, into: true });
  return [];
};

export interface GemmOperands {
  readonly a: Binding;
  readonly b: Binding;
  /** B holds f16 pairs, from element `start` of its binding on. */
  readonly half: boolean;
  readonly start: number;
  readonly bias?: Binding | undefined;
  readonly residual?: Binding | undefined;
  readonly c: Binding;
  readonly into: boolean;
}

/** Elements of f16 between two places where a binding may begin. */
const HALF_ALIGNMENT = 128;

function operands(
  inputs: Inputs,
  { m, n, k, aOffset, bOffset, half = false }: GemmAttributes | GemmIntoAttributes,
): Pick<GemmOperands, 'a' | 'b' | 'half' | 'start'> {
  const a = { tensor: input(inputs, 'a'), offset: aOffset, length: m * k };
  const b = input(inputs, 'b');
  if (!half) return { a, b: { tensor: b, offset: bOffset, length: n * k }, half, start: 0 };
  const start = bOffset % HALF_ALIGNMENT;
  const length = Math.ceil((start + n * k) / 2);
  return { a, b: { tensor: b, offset: (bOffset - start) / 2, length }, half, start };
}

type Product = GemmShape & { readonly layout: GemmLayout };

function multiply(gpu: GpuDispatcher, product: Product, given: GemmOperands): void {
  gpu.dispatch(gemmDispatch(product, given, planOf(gpu, product)));
}

/** The dispatch that computes a product by a plan. */
export function gemmDispatch(product: Product, given: GemmOperands, plan: GemmPlan): DispatchRequest {
  const { m, n, k, layout } = product;
  const { a, b, half, start, bias, residual, c, into } = given;
  const variant = gemmVariant(layout, product, { half, bias: !!bias, residual: !!residual, into });
  const { workgroups, groupsPerRow } = gridOf(plan, product);
  const uniforms: Record<(typeof UNIFORMS)[number], number> = { m, n, k, groupsPerRow, start };
  return {
    key: `gemm-${variantKey(variant)}-${planName(plan)}`,
    code: () => shaderOf(variant, plan),
    reads: [a, b, bias, residual].filter((binding) => binding !== undefined),
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
