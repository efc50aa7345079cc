/** Drawing one token from a row of logits, on the host in float64. */
import type { SamplingSettings } from './types.ts';

export interface Draw {
  readonly token: number;
  /** Of the temperature-scaled, unfiltered distribution, whatever top-k and top-p left out (T = 1 when greedy). */
  readonly logprob: number;
}

/**
 * Inverse-CDF draw: the first token, in ascending order of id, whose cumulative probability exceeds `uniform`.
 * Top-k and then top-p (smallest set of most probable tokens with mass ≥ topP, at least one) restrict the candidates;
 * equal probabilities rank by id. Temperature 0 takes the first largest logit.
 */
export function drawToken(logits: Float32Array, settings: SamplingSettings, uniform: number): Draw {
  const greedy = settings.temperature === 0;
  const temperature = greedy ? 1 : settings.temperature;
  let best = 0;
  for (let i = 1; i < logits.length; i++) if ((logits[i] as number) > (logits[best] as number)) best = i;
  const max = (logits[best] as number) / temperature;
  const weights = new Float64Array(logits.length);
  let total = 0;
  for (let i = 0; i < logits.length; i++) {
    const weight = Math.exp((logits[i] as number) / temperature - max);
    weights[i] = weight;
    total += weight;
  }
  if (!Number.isFinite(total)) {
    throw new Error(
      `The model's logits are not finite numbers (largest ${max}); its weights may hold NaN or Infinity.`,
    );
  }
  const token = greedy ? best : invertCdf(weights, filterCandidates(weights, total, settings), uniform);
  return { token, logprob: (logits[token] as number) / temperature - max - Math.log(total) };
}

/** Zeroes what top-k and top-p leave out and returns the mass that remains. */
function filterCandidates(weights: Float64Array, total: number, { topK, topP }: SamplingSettings): number {
  const limit = topK > 0 ? Math.min(topK, weights.length) : weights.length;
  if (limit === weights.length && topP >= 1) return total;
  const ranked = Array.from(weights.keys()).sort(
    (a, b) => (weights[b] as number) - (weights[a] as number) || a - b,
  );
  const massOfTopK = ranked.slice(0, limit).reduce((sum, i) => sum + (weights[i] as number), 0);
  let kept = 0;
  let count = 0;
  while (count < limit && (count === 0 || kept < topP * massOfTopK))
    kept += weights[ranked[count++] as number] as number;
  for (const i of ranked.slice(count)) weights[i] = 0;
  return kept;
}

function invertCdf(weights: Float64Array, mass: number, uniform: number): number {
  const threshold = uniform * mass;
  let cumulative = 0;
  let last = 0;
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] as number;
    if (weight === 0) continue;
    cumulative += weight;
    last = i;
    if (cumulative > threshold) return i;
  }
  // Rounding may leave the sum just short of the mass: the last candidate takes what is missing.
  return last;
}
