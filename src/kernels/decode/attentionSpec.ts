/** The attention of a block, the buffers it takes, and where the keys of a row are. */
import type { Declaration } from './program.ts';
import { LIST } from './rows.ts';

export interface AttentionSpec {
  readonly heads: number;
  readonly kvHeads: number;
  /** A multiple of 8. */
  readonly headDim: number;
  /** Epsilon of the norm of each head, or null for none. */
  readonly headNormEpsilon: number | null;
}

/**
 * `step`: one token of each row; writes its key and value, then attends. The rows of a prompt read each other's keys, so there
 * `append` writes them all before `attend` reads any.
 */
export type AttentionWork = 'step' | 'append' | 'attend';

/**
 * Bindings, the same for each kind of work: list, projected q | k | v, RoPE table, keys, values, mixed values, then the norms
 * of q and k, where there are any. A row of the table is cosines | sines; `keys` and `values` are [positions, kvHeads·headDim].
 */
export function attentionDeclarations({ headNormEpsilon }: AttentionSpec): Declaration[] {
  return [
    LIST,
    ['qkv', 'array<vec4f>', 'read'],
    ['table', 'array<vec4f>', 'read'],
    ['keys', 'array<vec4f>', 'write'],
    ['values', 'array<vec4f>', 'write'],
    ['mixed', 'array<vec4f>', 'write'],
    ...(headNormEpsilon === null
      ? []
      : [['queryNorm', 'array<vec4f>', 'read'] as const, ['keyNorm', 'array<vec4f>', 'read'] as const]),
  ];
}

/** WGSL: the cache position of key `j` of a row. */
export const KEY_POSITION_CODE = /* wgsl */ `
fn keyPosition(row: Row, j: u32) -> u32 {
  return select(row.ownBase + j - row.promptLength, row.promptBase + j, j < row.promptLength);
}`;
