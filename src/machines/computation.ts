/** What a machine computes with, as far as its last bits depend on it. */
import * as tf from '../backend/tf.ts';
import { WEBGPU_BACKEND } from '../backend/kernelRegistry.ts';
import { simdOf } from '../backend/simd.ts';

/** The engine whose `Math.exp` and `Math.log` the sampler uses. */
function scriptEngine(): string {
  if ('process' in globalThis) return 'V8';
  const { userAgent } = globalThis.navigator;
  if (/Chrom(e|ium)\//.test(userAgent)) return 'V8';
  return userAgent.includes('Firefox/') ? 'SpiderMonkey' : 'JavaScriptCore';
}

/**
 * Two machines on wasm whose words are the same give the same answers to the bit. Of GPUs nobody knows: driver and browser
 * choose how a shader rounds. `line`: what the running backend says of itself.
 */
export function computationOf(line: string): string {
  if (tf.getBackend() === WEBGPU_BACKEND) return `webgpu, ${line}`.slice(0, 400);
  const { fused } = simdOf(tf.backend());
  return `wasm, ${fused ? 'products and sums rounded once' : 'products and sums rounded apart'}, ${scriptEngine()}`;
}

/** Whether the draws of one can be replayed on the other. */
export function sameToTheBit(one: string, other: string): boolean {
  return one === other && one.startsWith('wasm');
}
