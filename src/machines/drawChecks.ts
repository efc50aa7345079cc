/**
 * Whether a token is the one that the counted draws give, by the trainer's own logits. Another machine's differ from those in their last bits, so what
 * is asked is that no token beats it by more than rounding explains. Filters are taken the same way: a token counts as kept that rounding could have
 * kept, and as a rival only where rounding could not have left it out. `engine/rollout/decoding/sampler.ts` says what is drawn.
 */
import { exp, log, gumbelOf, tokenBits, type SamplingSettings } from '@rl-playground/engine/parts';

/** Upper bounds of the noise by the highest 8 of its bits. */
const NOISE_BOUND = Float64Array.from({ length: 256 }, (_, high) => gumbelOf(high * 2 ** 24));

/** Logits from which on a token has certainly been kept by the filters, and from which on it may have been. */
interface Kept {
  readonly surely: number;
  readonly possibly: number;
}

const EVERYTHING: Kept = { surely: Number.NEGATIVE_INFINITY, possibly: Number.NEGATIVE_INFINITY };

/**
 * By how much logit / T + noise of the likeliest rival is above that of `token`, and 0 where none is; infinite where the filters leave `token` out.
 * `logits`: those that are drawn by, of tokens that can be drawn. `slack`: nats by which two scaled logits may differ otherwise than here.
 */
export function shortfall(
  logits: Float32Array,
  token: number,
  settings: SamplingSettings,
  key: number,
  slack: number,
): number {
  const greedy = settings.temperature === 0;
  const temperature = greedy ? 1 : settings.temperature;
  const { surely, possibly } = greedy ? EVERYTHING : keptBy(logits, settings, slack);
  const logit = logits[token] ?? Number.NaN;
  // A number that is none must not pass.
  if (!(logit >= possibly)) return Number.POSITIVE_INFINITY;
  const own = logit / temperature + (greedy ? 0 : gumbelOf(tokenBits(key, token)));
  let highest = own;
  for (let id = 0; id < logits.length; id++) {
    const rival = logits[id] as number;
    if (rival < surely) continue;
    const scaled = rival / temperature;
    if (greedy) highest = Math.max(highest, scaled);
    else {
      const bits = tokenBits(key, id);
      if (scaled + (NOISE_BOUND[bits >>> 24] as number) > highest)
        highest = Math.max(highest, scaled + gumbelOf(bits));
    }
  }
  return highest - own;
}

function keptBy(logits: Float32Array, settings: SamplingSettings, slack: number): Kept {
  const { temperature, topK, topP, minP = 0 } = settings;
  const limited = topK > 0 && topK < logits.length;
  if (!limited && topP >= 1 && minP === 0) return EVERYTHING;
  const ranked = logits.toSorted().reverse();
  const margin = slack * temperature;
  const borders: Kept[] = [EVERYTHING];
  if (limited) borders.push(around(ranked[topK], ranked[topK - 1], margin));
  if (topP < 1) {
    const among = limited ? ranked.subarray(0, topK) : ranked;
    borders.push(nucleus(among, temperature, topP, slack));
  }
  const [best = Number.NaN] = ranked;
  if (minP > 0) {
    const least = best + temperature * log(minP);
    borders.push(around(least, least, margin));
  }
  return {
    surely: Math.max(...borders.map((border) => border.surely)),
    possibly: Math.max(...borders.map((border) => border.possibly)),
  };
}

const around = (above = Number.NaN, below = Number.NaN, margin: number): Kept => ({
  surely: above + margin,
  possibly: below - margin,
});

/** Sums of exponentials are off by a factor of exp(slack) at most where each scaled logit is off by half of it. */
function nucleus(ranked: Float32Array, temperature: number, topP: number, slack: number): Kept {
  const [best = Number.NaN] = ranked;
  const weights = Float64Array.from(ranked, (logit) => exp((logit - best) / temperature));
  const wanted = topP * weights.reduce((sum, weight) => sum + weight, 0);
  const reaching = (factor: number): number => {
    let [count, reached] = [0, 0];
    while (count < weights.length && (count === 0 || reached * factor < wanted))
      reached += weights[count++] as number;
    return count;
  };
  const [fewest, most] = [reaching(exp(slack)), reaching(exp(-slack))];
  return around(ranked[fewest] ?? Number.NEGATIVE_INFINITY, ranked[most - 1], slack * temperature);
}
