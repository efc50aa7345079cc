/** Masses of rows of logits for draws, by the threads of the wasm backend. */
import { hostMemory } from '../../backend/host.ts';
import { WASM_BACKEND } from '../../backend/kernelRegistry.ts';
import * as tf from '../../backend/tf.ts';

/** The numbers of a whole row of logits that a draw needs, at the temperature of its softmax. */
export interface RowMass {
  /** The first id of the largest logits among the candidates. */
  readonly best: number;
  /** The largest of all logits / T. */
  readonly max: number;
  /** exp(logit / T − max), summed over the ids that may be drawn, and over all. */
  readonly among: number;
  readonly total: number;
}

/** The numbers of a row's mass. */
const DOUBLES = 4;
const FLOATS_PER_DOUBLE = 2;

/**
 * Returns the mass of each row of `logits` [N, V], of which the ids below `drawable` may be drawn, or null on another backend than wasm.
 */
export function rowMasses(
  logits: tf.Tensor,
  drawable: number,
  temperature: number,
): readonly RowMass[] | null {
  if (tf.getBackend() !== WASM_BACKEND) return null;
  const memory = hostMemory(tf.backend());
  const [rows = 0, vocab = 0] = logits.shape;
  const target = memory.scratch(FLOATS_PER_DOUBLE * DOUBLES * rows);
  memory.parallel('rowMasses', rows, 1, memory.pointer(logits), vocab, drawable, temperature, target);
  const doubles = new Float64Array(memory.heapFloats().buffer, target, DOUBLES * rows);
  return Array.from({ length: rows }, (_, row) => {
    const [best = NaN, max = NaN, among = NaN, total = NaN] = doubles.subarray(DOUBLES * row);
    return { best, max, among, total };
  });
}
