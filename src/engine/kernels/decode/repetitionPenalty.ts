/**
 * The tokens that a row has read and written, a bit for each, and the logits from which it draws, as
 * `engine/rollout/repetitionPenalty.ts` computes them, in float32. The logits themselves do not change: a token's log-probability is that
 * of the distribution without the penalty.
 */

/** The index of the settings' word with the penalty (f32). */
export const REPETITION_PENALTY_WORD = 6;

/** The number of 32-bit words of a slot's bits. */
export const seenWords = (vocabSize: number): number => Math.ceil(vocabSize / 32);

/** Writes a fresh slot's bits: those of its prompt. */
export function writeSeen(words: Uint32Array, at: number, promptIds: readonly number[]): void {
  for (const id of promptIds) {
    const word = at + (id >>> 5);
    words[word] = (words[word] as number) | (1 << (id & 31));
  }
}

/** WGSL of the bits; `seenAt` is the first word of the row's slot in `seen`. */
export const PENALTY_CODE = /* wgsl */ `
var<private> seenAt: u32;
fn penalised(logit: f32, id: u32) -> f32 {
  let isSeen = ((seen[seenAt + (id >> 5u)] >> (id & 31u)) & 1u) != 0u;
  let penalty = bitcast<f32>(settings[${REPETITION_PENALTY_WORD}]);
  return select(logit, select(logit / penalty, logit * penalty, logit < 0.0), isSeen);
}
fn markSeen(id: u32) { seen[seenAt + (id >> 5u)] |= 1u << (id & 31u); }
`;
