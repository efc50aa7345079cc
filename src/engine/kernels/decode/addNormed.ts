/** x += s · norm(y), for models with norms behind attention and MLP (Gemma 3). */
import { shifted } from '../shared/vectors.ts';
import { kindsOf, type DecodeKernel, type DecodePlan, type Declaration } from './program.ts';
import { LIST, listCode } from './rows.ts';

export interface AddNormedSpec {
  readonly width: number;
  readonly epsilon: number;
  /** The number that is added to the norm's γ. */
  readonly shift: number;
  readonly scale: number;
}

/** The invocations that share a row on hardware; elsewhere the rows that share a workgroup. */
const LANES = { groups: 64, items: 16, quads: 16 } as const;

/** Bindings: list, y, x, γ. */
export function addNormedKernel(
  { width, epsilon, shift, scale }: AddNormedSpec,
  plan: DecodePlan,
): DecodeKernel {
  const declarations: Declaration[] = [
    LIST,
    ['y', 'array<vec4f>', 'read'],
    ['x', 'array<vec4f>', 'write'],
    ['gamma', 'array<vec4f>', 'read'],
  ];
  const vectors = width / 4;
  const lanes = LANES[plan];
  const shared = plan === 'groups';
  const step = shared ? lanes : 1;
  const sumOverLanes = /* wgsl */ `
  partial[lane] = squares;
  workgroupBarrier();
  squares = 0.0;
  for (var i = 0u; i < ${lanes}u; i++) { squares += partial[i]; }`;
  return {
    label: 'norm + residual',
    code: /* wgsl */ `${listCode(declarations)}
${shared ? `var<workgroup> partial: array<f32, ${lanes}>;` : ''}
@compute @workgroup_size(${lanes})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let row = ${shared ? 'group.x' : `group.x * ${lanes}u + index`};
  let lane = ${shared ? 'index' : '0u'};
  if (row >= list.count) { return; }
  let at = row * ${vectors}u;
  var squares = 0.0;
  for (var i = lane; i < ${vectors}u; i += ${step}u) { squares += dot(y[at + i], y[at + i]); }
  ${shared ? sumOverLanes : ''}
  let factor = inverseSqrt(squares / ${width}.0 + ${epsilon})${scale === 1 ? '' : ` * ${scale}`};
  for (var i = lane; i < ${vectors}u; i += ${step}u) {
    x[at + i] += y[at + i] * factor * ${shifted('gamma[i]', shift)};
  }
}`,
    bindings: kindsOf(declarations),
    rowWork: 0,
    workgroups: (rows) => [shared ? rows : Math.ceil(rows / lanes)],
  };
}
