/** Sizes of GPU decoding that plans need, too. They load no kernel. */
import { MAX_SLOTS, OUTPUT_WORDS } from '../../kernels/decode/rows.ts';
import type { ModelConfig } from '../../model/config.ts';

/** The rows of a prefill at a time; prompts of any length are run in parts. It must be at least `MAX_SLOTS`. */
export const PREFILL_ROWS = 256;
/** The tokens of each row between two readbacks. */
export const ROUND_TOKENS = 8;
/** The steps of a round, which may begin with the first token of fresh rows. */
export const OUTPUT_STEPS = ROUND_TOKENS + 1;
export const OUTPUT_BYTES = OUTPUT_STEPS * MAX_SLOTS * OUTPUT_WORDS * 4;

/** The floats of one row of logits, rounded up to whole vectors. */
export const logitsWidth = ({ vocabSize }: ModelConfig): number => Math.ceil(vocabSize / 4) * 4;
