/** The memory of a microbatch's activations, and the number of tokens that fit into it. */
import { activationFloats } from './block.ts';
import type { ModelConfig } from './config.ts';

/** The bytes of activations that a microbatch may keep by default. */
export const ACTIVATION_BUDGET = 288 * 2 ** 20;

/** The rows for which a product on wasm unpacks a panel of weights. Microbatches of fewer tokens unpack all of them more often. */
const TOKENS_AT_FULL_SPEED = 256;

/**
 * The padded tokens that go through a model at once, at most `most`. On wasm they are few enough for the activations of all blocks to fit
 * into the usual budget, so that no block is run again: the products of smaller microbatches are as fast there. A GPU has more to do at
 * once. A smaller budget changes nothing here, because the cut into microbatches decides the last bits of a gradient.
 */
export function tokensAtOnce(config: ModelConfig, most: number, backend: 'webgpu' | 'wasm'): number {
  if (backend === 'webgpu') return most;
  const kept = Math.floor(ACTIVATION_BUDGET / (4 * activationFloats(config) * config.layers));
  return Math.min(most, Math.max(kept, TOKENS_AT_FULL_SPEED));
}
