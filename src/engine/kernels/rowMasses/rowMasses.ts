/** Masses of rows of logits for draws, by the threads of the wasm backend. */
import { hostMemory } from '../../backend/host.ts';
import { WASM_BACKEND } from '../../backend/kernelRegistry.ts';
import * as tf from '../../backend/tf.ts';

/** Four doubles for each row. */
const DOUBLES = 4;
const FLOATS_PER_DOUBLE = 2;

/**
 * Returns, for each row of `logits` [N, V], the first of the largest below `drawable`, the largest of all divided by the temperature, and
 * the sums of exp(logit / T − it) below `drawable` and over all: 4 N doubles, or null on another backend than wasm.
 */
export function rowMasses(logits: tf.Tensor, drawable: number, temperature: number): Float64Array | null {
  if (tf.getBackend() !== WASM_BACKEND) return null;
  const memory = hostMemory(tf.backend());
  const [rows = 0, vocab = 0] = logits.shape;
  const target = memory.scratch(FLOATS_PER_DOUBLE * DOUBLES * rows);
  memory.parallel('rowMasses', rows, 1, memory.pointer(logits), vocab, drawable, temperature, target);
  return Float64Array.from(new Float64Array(memory.heapFloats().buffer, target, DOUBLES * rows));
}
