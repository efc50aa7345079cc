/**
 * Checks that a token is the one that the counted draws give by the trainer's own logits. Another machine's logits differ in their last
 * bits, so the check is that no token beats it by more than rounding explains. Filters are treated in the same way: a token counts as
 * kept if rounding could have kept it, and as a rival only if rounding could not have left it out. `engine/rollout/sampler.ts` defines
 * the draw.
 */
import {
  exp,
  log,
  gumbelOf,
  NOISE_BOUND,
  tokenBits,
  type SamplingSettings,
} from '@rl-playground/engine/parts';

/** The logits above which the filters have certainly kept a token, and above which they may have. */
interface Kept {
  readonly surely: number;
  readonly possibly: number;
}

const EVERYTHING: Kept = { surely: Number.NEGATIVE_INFINITY, possibly: Number.NEGATIVE_INFINITY };

/**
 * The excess of the likeliest rival's logit / T + noise over that of `token`, at least 0; infinite if the filters leave `token` out.
 * `logits` are those of tokens that can be drawn, after penalties. `slack` is the difference in nats that two scaled logits may have on
 * another machine.
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
  // NaN must not pass.
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

/** The tokens that top-p keeps. Sums of exponentials are off by a factor of at most exp(slack) if each scaled logit is off by half of it. */
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
