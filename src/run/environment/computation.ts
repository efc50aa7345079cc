/** A machine's computation, as far as the last bits of its numbers depend on it. */
import { exp, log, log1p, simdOf } from '@rl-playground/engine/parts';
import { backendKind, tf } from '@rl-playground/engine/parts/tensors';
import { avalanche32 } from '@rl-playground/base/random';

/** Numbers that the fingerprint takes of each function. */
const SAMPLES = 2048;

let known: string | null = null;

/**
 * A fingerprint of the functions that a sampler's numbers go through and that the script engine brings along: not even two versions of
 * one engine round them alike (V8 has changed exp, log and cos between Node 20 and Chromium 156).
 */
function functionsHere(): string {
  if (known !== null) return known;
  const values = new Float64Array(6 * SAMPLES);
  for (let i = 0; i < SAMPLES; i++) {
    const share = (i + 0.5) / SAMPLES;
    const angle = 300 * share;
    values.set(
      [
        exp(-30 * share),
        log(share),
        log1p(-share),
        // Of positions, which are kept as f32.
        Math.fround(Math.cos(angle)),
        Math.fround(Math.sin(angle)),
        Math.fround(Math.cos(10_000 ** -share)),
      ],
      6 * i,
    );
  }
  let hash = 0;
  for (const word of new Uint32Array(values.buffer)) hash = avalanche32(hash ^ word);
  known = (hash >>> 0).toString(16).padStart(8, '0');
  return known;
}

/** The computation of wasm; `fused` says that products and sums are rounded once. */
export function wasmComputation(fused: boolean): string {
  return `wasm, ${fused ? 'products and sums rounded once' : 'products and sums rounded apart'}, functions ${functionsHere()}`;
}

/** The computation of WebGPU; `line` is the device's own description. */
export function gpuComputation(line: string): string {
  return `webgpu, ${line}`.slice(0, 400);
}

/**
 * Two machines on wasm whose words are the same give the same answers to the bit. For GPUs that is unknown: driver and browser choose how a
 * shader rounds. `line` is the running backend's description of itself.
 */
export function computationOf(line: string): string {
  return backendKind() === 'webgpu' ? gpuComputation(line) : wasmComputation(simdOf(tf.backend()).fused);
}

/** Draws of one can be replayed on the other if this is true. */
export function sameToTheBit(one: string, other: string): boolean {
  return one === other && one.startsWith('wasm');
}
