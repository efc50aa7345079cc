/** The interface of a decoding kernel to the engine that runs it: code, bindings and the number of invocations for the rows. */
import type { FrozenFormat } from '../frozenMatrix/frozenMatrix.ts';
import { matrixElement } from '../frozenMatrix/wgsl.ts';

export type BindingKind = 'read' | 'write' | 'uniform';

export interface DecodeKernel {
  readonly label: string;
  /** The WGSL with entry point `main`; binding i of group 0 is `bindings[i]`. */
  readonly code: string;
  readonly bindings: readonly BindingKind[];
  /** The workgroups for this many rows. A grid may be larger than the rows that are left: invocations beyond them return at once. */
  readonly workgroups: (rows: number) => readonly [x: number, y?: number];
  /** The number of multiplications for each row, if there are many. */
  readonly rowWork: number;
}

/**
 * The way in which kernels share their work. `groups`: the lanes of a workgroup split a sum between them, for hardware. `items`: an
 * invocation does everything on its own, without barriers, which cost a software adapter 20 times the arithmetic. `quads`: the same, but
 * four neighbours load different rows and exchange them by subgroup operations, because on SwiftShader a load costs as much as three
 * vector multiplications. `quads` is not for hardware, whose lanes may have diverged by then and swap wrong values: on an NVIDIA H200 a
 * few of several thousand log-probabilities were wrong.
 */
export type DecodePlan = 'groups' | 'items' | 'quads';

/** An entry of `declareBindings`: WGSL name, element or structure type, kind. */
export type Declaration = readonly [name: string, type: string, kind: BindingKind];

/** The binding of a matrix. */
export const matrixInput = (format: FrozenFormat): Declaration => [
  'matrix',
  `array<${matrixElement(format)}>`,
  'read',
];

const ADDRESS_SPACES: Readonly<Record<BindingKind, string>> = {
  read: 'storage, read',
  write: 'storage, read_write',
  uniform: 'uniform',
};

/** The WGSL of the bindings, in order. */
export function declareBindings(declarations: readonly Declaration[]): string {
  return declarations
    .map(([name, type, kind], i) => `@group(0) @binding(${i}) var<${ADDRESS_SPACES[kind]}> ${name}: ${type};`)
    .join('\n');
}

export const kindsOf = (declarations: readonly Declaration[]): BindingKind[] =>
  declarations.map(([, , kind]) => kind);
