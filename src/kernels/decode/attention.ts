/**
 * Attention over the key/value cache, with all that lies between the projection and it: norm of each head (Qwen3), RoPE,
 * and writing the new keys and values. A row reads the keys of its prompt, which its whole group shares, and then its own.
 */
import { attentionGroups } from './attentionGroups.ts';
import { attentionItems } from './attentionItems.ts';
import { attentionQuads, fitsQuads } from './attentionQuads.ts';
import type { AttentionSpec, AttentionWork } from './attentionSpec.ts';
import type { DecodeKernel, DecodePlan } from './program.ts';

export function attentionKernel(spec: AttentionSpec, work: AttentionWork, plan: DecodePlan): DecodeKernel {
  if (plan === 'groups') return attentionGroups(spec, work);
  return plan === 'quads' && fitsQuads(spec) ? attentionQuads(spec, work) : attentionItems(spec, work);
}
