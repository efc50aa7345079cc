/** What a decoding kernel is to the engine that runs it: code, bindings and how many invocations the rows need. */
import type { FrozenFormat } from '../frozenMatrix/frozenMatrix.ts';
import { matrixArrays } from '../frozenMatrix/wgsl.ts';

export type BindingKind = 'read' | 'write' | 'uniform';

export interface DecodeKernel {
  readonly label: string;
  /** Entry point `main`; binding i of group 0 is `bindings[i]`. */
  readonly code: string;
  readonly bindings: readonly BindingKind[];
  /** Workgroups for this many rows. A grid may be larger than the rows that are left: what is beyond them returns at once. */
  readonly workgroups: (rows: number) => readonly [x: number, y?: number];
  /** Multiplications for each row, where they are many. */
  readonly rowWork: number;
}

/**
 * How kernels share their work. `groups`: the lanes of a workgroup split a sum between them, for hardware. `items`: an
 * invocation does everything on its own, without barriers, which cost a software adapter 20 times the arithmetic. `quads`:
 * the same, but four neighbours load different rows and hand them round by subgroup operations; on SwiftShader a load costs
 * as much as three vector multiplications. Not for hardware: its lanes may have parted by then, and swap what is not theirs: on an
 * NVIDIA H200 a few of several thousand log-probabilities were wrong.
 */
export type DecodePlan = 'groups' | 'items' | 'quads';

/** An entry of `declareBindings`: WGSL name, element or structure type, kind. */
export type Declaration = readonly [name: string, type: string, kind: BindingKind];

/** A matrix's words and, where it has them, scales. */
export const matrixInputs = (format: FrozenFormat): Declaration[] =>
  matrixArrays('matrix', format).map(([name, element]) => [name, `array<${element}>`, 'read']);

const ADDRESS_SPACES: Readonly<Record<BindingKind, string>> = {
  read: 'storage, read',
  write: 'storage, read_write',
  uniform: 'uniform',
};

/** WGSL of the bindings, in order. */
export function declareBindings(declarations: readonly Declaration[]): string {
  return declarations
    .map(([name, type, kind], i) => `@group(0) @binding(${i}) var<${ADDRESS_SPACES[kind]}> ${name}: ${type};`)
    .join('\n');
}

export const kindsOf = (declarations: readonly Declaration[]): BindingKind[] =>
  declarations.map(([, , kind]) => kind);
