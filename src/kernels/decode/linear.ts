/**
 * A linear map of every row, with what comes before and after it in a block: RMSNorm of its input; bias, residual or SwiGLU
 * on its output. An output sums over K in an order that depends on the shape and the plan alone, never on the rows.
 *
 * The scale of RMSNorm is a factor of the whole sum, so the sum of squares is taken beside the product:
 * norm(x)·W = (Σ xₖγₖWₖ) / rms(x).
 */
import { linearGroups } from './linearGroups.ts';
import { linearItems } from './linearItems.ts';
import type { LinearSpec } from './linearSpec.ts';
import type { DecodeKernel, DecodePlan } from './program.ts';

/** Inputs, and outputs of `nn`, must be whole vectors of 4 (8 for `swiglu`). */
export function linearKernel(spec: LinearSpec, plan: DecodePlan): DecodeKernel {
  return plan === 'groups' ? linearGroups(spec) : linearItems(spec, plan === 'quads');
}
