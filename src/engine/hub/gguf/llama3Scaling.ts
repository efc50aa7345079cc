/**
 * The scaling of RoPE as Llama 3 has it, found from the factors by which llama.cpp divides the frequencies (`rope_freqs.weight`): converters
 * write the factors and leave out the numbers that they were computed from.
 */
import { GgufError } from './ggufError.ts';

/** The bounds of every Llama 3: frequencies that turn less than once in the original context are divided, those that turn four times are not. */
const LOW = 1;
const HIGH = 4;
/** The original context, tried as powers of two. */
const SMALLEST_CONTEXT = 2 ** 4;
const LARGEST_CONTEXT = 2 ** 24;
/** The factors are numbers of 32 bits. */
const TOLERANCE = 1e-5;

/** The factors that a scaling gives. */
function factorsOf(factor: number, original: number, base: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    const turns = original / (2 * Math.PI * base ** (i / count));
    const share = Math.min(1, Math.max(0, (turns - LOW) / (HIGH - LOW)));
    return 1 / ((1 - share) / factor + share);
  });
}

/** Fields of `rope_scaling`; null where all factors are 1. @throws GgufError for factors that are not Llama 3's. */
export function llama3Scaling(factors: ArrayLike<number>, base: number): object | null {
  const found = Array.from(factors);
  const factor = found.reduce((most, each) => Math.max(most, each), 1);
  if (found.every((each) => each === 1)) return null;
  for (let original = SMALLEST_CONTEXT; original <= LARGEST_CONTEXT; original *= 2) {
    const made = factorsOf(factor, original, base, found.length);
    if (made.every((each, i) => Math.abs(each - (found[i] ?? 0)) <= TOLERANCE * each))
      return {
        rope_type: 'llama3',
        factor,
        low_freq_factor: LOW,
        high_freq_factor: HIGH,
        original_max_position_embeddings: original,
      };
  }
  throw new GgufError(
    `rope_freqs.weight divides RoPE's frequencies by factors up to ${factor}, which are not those of Llama 3; supported are none, linear and llama3. Choose another model.`,
  );
}
