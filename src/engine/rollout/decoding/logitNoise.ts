/**
 * Gaussian noise on the logits that a token is drawn from. It imitates generators that compute differently from the trainer, as an
 * inference engine does with its own kernels, orders of sums and precisions. The error of such an engine differs from token to token and
 * from place to place, and the trainer can't know it. Here its standard deviation is chosen, and it is drawn by the counted randomness of
 * all sampling. `engine/kernels/decode/logitNoise.ts` is the same on the GPU in float32.
 */
import { positionKey, tokenBits } from './sampler.ts';

/** Words that separate the two random numbers of a normal from each other and from the draw of the token. */
export const NOISE_STREAMS = { radius: 0x6e6f6973, angle: 0x616e676c } as const;

/** A standard normal number (Box and Muller 1958) for token id `token` at the place of `key`. */
export function normalAt(key: number, token: number): number {
  const t = (tokenBits(positionKey(key, NOISE_STREAMS.radius), token) + 0.5) / 2 ** 32;
  const turns = tokenBits(positionKey(key, NOISE_STREAMS.angle), token) / 2 ** 32;
  return Math.sqrt(-2 * Math.log1p(-t)) * Math.cos(2 * Math.PI * turns);
}

/** `logits` [V] + `deviation` · noise. `key` is the `positionKey` of the place. */
export function withLogitNoise(
  logits: Float32Array,
  deviation: number,
  key: number,
): Float32Array<ArrayBuffer> {
  return Float32Array.from(logits, (logit, token) => logit + deviation * normalAt(key, token));
}
