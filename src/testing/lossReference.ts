/** Losses over per-token log-probabilities in float64, one token at a time, and random inputs for them. */
import type { LossInputs, LossSettings } from '../rl/loss/losses.ts';

/** [B, T], as `LossInputs`; `weights` are the reduction's. */
export type LossNumbers = Readonly<Record<keyof LossInputs | 'weights', readonly (readonly number[])[]>>;

export const LOSS_NUMBER_NAMES = [
  'logprob',
  'oldLogprob',
  'samplerLogprob',
  'referenceLogprob',
  'advantage',
  'mask',
  'weights',
] as const satisfies readonly (keyof LossNumbers)[];

/**
 * Σ weight · ℓ over the tokens of the mask. What carries no gradient (CISPO's weight) is computed from `frozen`, so that differences in
 * `logprob` alone give the gradient that a stop-gradient leaves.
 */
export function referenceLoss(
  settings: LossSettings,
  numbers: LossNumbers,
  frozen: LossNumbers['logprob'] = numbers.logprob,
): number {
  let loss = 0;
  for (const [b, row] of numbers.mask.entries()) {
    const at = (name: keyof LossNumbers, t: number): number => numbers[name][b]?.[t] ?? NaN;
    const tokens = [...row.keys()].filter((t) => row[t] === 1);
    const ratio = (logprob: (t: number) => number, t: number): number => {
      const logRatios = tokens.map((k) => logprob(k) - at('oldLogprob', k));
      const mean = logRatios.reduce((sum, value) => sum + value, 0) / logRatios.length;
      return Math.exp(settings.ratioLevel === 'sequence' ? mean : logprob(t) - at('oldLogprob', t));
    };
    for (const t of tokens) {
      const logprob = at('logprob', t);
      let token = policyTerm(settings, {
        logprob,
        advantage: at('advantage', t),
        ratio: ratio((k) => at('logprob', k), t),
        frozenRatio: ratio((k) => frozen[b]?.[k] ?? NaN, t),
        distance: logprob - at('oldLogprob', t),
      });
      if (settings.importanceCap !== null) {
        const gap = Math.exp(at('oldLogprob', t)) / Math.exp(at('samplerLogprob', t));
        token *= gap > settings.importanceCap ? settings.importanceCap : gap;
      }
      if (settings.kl !== null) {
        const toReference = Math.exp(at('referenceLogprob', t)) / Math.exp(logprob);
        const estimate =
          settings.kl.estimator === 'k2'
            ? Math.log(toReference) ** 2 / 2
            : toReference - Math.log(toReference) - 1;
        token += settings.kl.beta * estimate;
      }
      loss += at('weights', t) * token;
    }
  }
  return loss;
}

interface TokenNumbers {
  readonly logprob: number;
  readonly advantage: number;
  readonly ratio: number;
  readonly frozenRatio: number;
  /** log p − log p_old. */
  readonly distance: number;
}

function policyTerm(
  { loss, bounds: { low, high }, delta, droBeta }: LossSettings,
  { logprob, advantage, ratio, frozenRatio, distance }: TokenNumbers,
): number {
  switch (loss) {
    case 'reinforce':
      return -advantage * logprob;
    case 'importance_sampling':
      return -advantage * ratio;
    case 'cispo': {
      const weight = frozenRatio < low ? low : frozenRatio > high ? high : frozenRatio;
      return -weight * advantage * logprob;
    }
    case 'dro':
      return -advantage * logprob + (droBeta / 2) * distance ** 2;
    case 'ppo':
    case 'grpo':
    case 'bnpo':
    case 'dr_grpo':
    case 'dapo': {
      // A positive advantage takes the smaller of the two ratios, a negative one the larger.
      const within = ratio < low ? low : ratio > high ? high : ratio;
      const free = delta !== null && ratio > delta ? delta : ratio;
      const counted = advantage >= 0 ? Math.min(free, within) : Math.max(free, within);
      return -advantage * counted;
    }
  }
}

/** d loss / d log p [B, T] by central differences. Outside the mask it is 0 by definition. */
export function referenceGradient(settings: LossSettings, numbers: LossNumbers, step = 1e-5): number[][] {
  const moved = (b: number, t: number, by: number): number =>
    referenceLoss(
      settings,
      {
        ...numbers,
        logprob: numbers.logprob.map((row, i) =>
          row.map((value, k) => (i === b && k === t ? value + by : value)),
        ),
      },
      numbers.logprob,
    );
  return numbers.mask.map((row, b) =>
    row.map((inside, t) => (inside === 1 ? (moved(b, t, step) - moved(b, t, -step)) / (2 * step) : 0)),
  );
}

const CLOSEST_TO_KINK = 0.01;

/**
 * Completions of 1 to `length` tokens behind prompts of 0 or more, the rest padding; all entries are of f32, 0 outside the mask. Ratios are
 * between about 0.2 and 5 and at least 1 % away from every one of `kinks`, where the losses have no derivative.
 */
export function randomLossNumbers(
  draw: () => number,
  batch: number,
  length: number,
  kinks: readonly number[],
): LossNumbers {
  const between = (low: number, high: number): number => low + (high - low) * draw();
  const offKinks = (logRatio: number): boolean =>
    kinks.every((kink) => Math.abs(Math.exp(logRatio) / kink - 1) > CLOSEST_TO_KINK);
  const logRatio = (centre: number): number => {
    for (;;) {
      const value = centre + between(-0.8, 0.8);
      if (offKinks(value)) return value;
    }
  };
  const rowOfRatios = (tokens: number): number[] => {
    for (;;) {
      const centre = between(-0.8, 0.8);
      const ratios = Array.from({ length: tokens }, () => logRatio(centre));
      if (offKinks(ratios.reduce((sum, value) => sum + value, 0) / tokens)) return ratios;
    }
  };
  const rows = Array.from({ length: batch }, () => {
    const tokens = 1 + Math.floor(draw() * length);
    const first = Math.floor(draw() * (length - tokens + 1));
    const weight = between(0.02, 0.2);
    const ratios = rowOfRatios(tokens);
    return Array.from({ length }, (_, t) => {
      const ratio = ratios[t - first];
      if (ratio === undefined) return LOSS_NUMBER_NAMES.map(() => 0);
      const logprob = between(-4, -0.1);
      const old = logprob - ratio;
      const numbers: Record<keyof LossNumbers, number> = {
        logprob,
        oldLogprob: old,
        samplerLogprob: old - logRatio(0),
        referenceLogprob: logprob + between(-1, 1),
        advantage: between(-2, 2),
        mask: 1,
        weights: weight,
      };
      return LOSS_NUMBER_NAMES.map((name) => Math.fround(numbers[name]));
    });
  });
  const array = (name: (typeof LOSS_NUMBER_NAMES)[number]): number[][] =>
    rows.map((row) => row.map((numbers) => numbers[LOSS_NUMBER_NAMES.indexOf(name)] ?? NaN));
  return {
    logprob: array('logprob'),
    oldLogprob: array('oldLogprob'),
    samplerLogprob: array('samplerLogprob'),
    referenceLogprob: array('referenceLogprob'),
    advantage: array('advantage'),
    mask: array('mask'),
    weights: array('weights'),
  };
}
