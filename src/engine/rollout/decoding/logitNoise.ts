/**
 * Gaussian noise on the logits that a token is drawn from: a stand-in for generators that compute otherwise than the trainer, as an inference
 * engine does with kernels, orders of sums and precisions of its own. Its error differs from token to token and from place to place, and the
 * trainer can't know it. Here it has a standard deviation that is chosen, and is drawn by the counted randomness of all sampling.
 * `engine/kernels/decode/logitNoise.ts` is the same on the GPU in float32.
 */
import { positionKey, tokenBits } from './sampler.ts';

/** What keeps the two random numbers of a normal apart from each other and from the draw of the token. */
export const NOISE_STREAMS = { radius: 0x6e6f6973, angle: 0x616e676c } as const;

/** Standard normal (Box and Muller 1958) of token id `token` at the place of `key`. */
export function normalAt(key: number, token: number): number {
  const t = (tokenBits(positionKey(key, NOISE_STREAMS.radius), token) + 0.5) / 2 ** 32;
  const turns = tokenBits(positionKey(key, NOISE_STREAMS.angle), token) / 2 ** 32;
  return Math.sqrt(-2 * Math.log1p(-t)) * Math.cos(2 * Math.PI * turns);
}

/** `logits` [V] + `deviation` · noise. `key`: `positionKey` of the place. */
export function withLogitNoise(
  logits: Float32Array,
  deviation: number,
  key: number,
): Float32Array<ArrayBuffer> {
  return Float32Array.from(logits, (logit, token) => logit + deviation * normalAt(key, token));
}
