/** Losses over per-token log-probabilities in float64, one token at a time, and random inputs for them. */
import type { LossInputs } from '../loss/inputs.ts';
import type { LossSettings } from '../loss/losses.ts';

/** The inputs [B, T] of a loss, as in `LossInputs`; `weights` are the reduction's. */
export type LossNumbers = Readonly<
  Record<Exclude<keyof LossInputs, 'kept'> | 'weights', readonly (readonly number[])[]>
> & { readonly kept?: readonly (readonly number[])[] };

export const LOSS_NUMBER_NAMES = [
  'logprob',
  'oldLogprob',
  'samplerLogprob',
  'referenceLogprob',
  'advantage',
  'mask',
  'weights',
] as const satisfies readonly (keyof LossNumbers)[];

/** The numbers of one sequence's completion. */
interface Answer {
  readonly tokens: readonly Readonly<Record<(typeof LOSS_NUMBER_NAMES)[number], number>>[];
  /** The factor on the policy's term at each token. */
  readonly kept: readonly number[];
}

/**
 * Σ weight · ℓ over the tokens of the mask. Factors that pass no gradient (the weights of CISPO and VESPO, and those of the corrections)
 * are computed from `frozen`, so that differences in `logprob` alone give the gradient that a stop-gradient leaves.
 */
export function referenceLoss(
  settings: LossSettings,
  numbers: LossNumbers,
  frozen: LossNumbers['logprob'] = numbers.logprob,
): number {
  let loss = 0;
  for (const [b, row] of numbers.mask.entries()) {
    const within = [...row.keys()].filter((t) => row[t] === 1);
    const answerOf = (logprob: LossNumbers['logprob']): Answer => ({
      tokens: within.map((t) => ({
        logprob: logprob[b]?.[t] ?? NaN,
        oldLogprob: numbers.oldLogprob[b]?.[t] ?? NaN,
        samplerLogprob: numbers.samplerLogprob[b]?.[t] ?? NaN,
        referenceLogprob: numbers.referenceLogprob[b]?.[t] ?? NaN,
        advantage: numbers.advantage[b]?.[t] ?? NaN,
        mask: 1,
        weights: numbers.weights[b]?.[t] ?? NaN,
      })),
      kept: within.map((t) => numbers.kept?.[b]?.[t] ?? 1),
    });
    loss += answerLoss(settings, answerOf(numbers.logprob), answerOf(frozen));
  }
  return loss;
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function answerLoss(settings: LossSettings, answer: Answer, frozen: Answer): number {
  const { ratioLevel, kl } = settings;
  const logRatios = ({ tokens }: Answer): number[] =>
    tokens.map(({ logprob, oldLogprob }) => logprob - oldLogprob);
  const ratios = (of: Answer): number[] => {
    const all = logRatios(of);
    return all.map((own) => Math.exp(ratioLevel === 'sequence' ? meanOf(all) : own));
  };
  const [own, still] = [ratios(answer), ratios(frozen)];
  const answerRatio = logRatios(frozen).reduce((product, each) => product * Math.exp(each), 1);
  const corrections = importanceWeights(settings, answer);
  const far = meanOf(frozen.tokens.map(({ samplerLogprob, logprob }) => samplerLogprob - logprob));
  return answer.tokens.reduce((sum, token, t) => {
    const { logprob, oldLogprob, referenceLogprob, advantage } = token;
    const correction = corrections[t] ?? NaN;
    // As in TRL, no factor takes the whole answer's ratio to 0.
    const vespoRatio = answerRatio * corrections.reduce((product, each) => product * Math.max(each, 1e-8), 1);
    let term = policyTerm(settings, {
      logprob,
      advantage,
      ratio: own[t] ?? NaN,
      frozenRatio: still[t] ?? NaN,
      answerRatio: vespoRatio,
      distance: logprob - oldLogprob,
    });
    if (settings.loss !== 'vespo') term *= correction;
    if (settings.offPolicyThreshold !== null && advantage < 0 && far > settings.offPolicyThreshold) term = 0;
    term *= answer.kept[t] ?? 1;
    if (kl !== null) {
      const toReference = Math.exp(referenceLogprob) / Math.exp(logprob);
      const estimate =
        kl.estimator === 'k2' ? Math.log(toReference) ** 2 / 2 : toReference - Math.log(toReference) - 1;
      term += kl.beta * estimate * (kl.biasCorrection === true ? (own[t] ?? NaN) : 1);
    }
    return sum + token.weights * term;
  }, 0);
}

/** p_old / q of each token or of the answer, within its bounds; 1 if nothing is corrected. */
function importanceWeights(
  { importanceMode, importanceFloor, importanceCap }: LossSettings,
  { tokens }: Answer,
): number[] {
  const each = tokens.map(
    ({ oldLogprob, samplerLogprob }) => Math.exp(oldLogprob) / Math.exp(samplerLogprob),
  );
  if (importanceFloor === null && importanceCap === null) return each.map(() => 1);
  const whole = each.reduce((product, value) => product * value, 1);
  return each.map((value) => {
    const weight =
      importanceMode === 'sequence_truncate' || importanceMode === 'sequence_mask' ? whole : value;
    const [low, high] = [importanceFloor ?? 0, importanceCap ?? Infinity];
    const masks = importanceMode === 'token_mask' || importanceMode === 'sequence_mask';
    if (weight < low) return masks ? 0 : low;
    if (weight > high) return masks ? 0 : high;
    return weight;
  });
}

interface TokenNumbers {
  readonly logprob: number;
  readonly advantage: number;
  readonly ratio: number;
  readonly frozenRatio: number;
  /** The product of the ratios over the answer, with the correction of the sampler's error; it passes no gradient. */
  readonly answerRatio: number;
  /** log p − log p_old. */
  readonly distance: number;
}

function policyTerm(
  { loss, bounds: { low, high }, delta, droBeta, sapo, vespo }: LossSettings,
  { logprob, advantage, ratio, frozenRatio, answerRatio, distance }: TokenNumbers,
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
    case 'sapo': {
      const temperature = advantage > 0 ? sapo.positive : sapo.negative;
      return (-advantage * 4) / temperature / (1 + Math.exp(-temperature * (ratio - 1)));
    }
    case 'vespo': {
      const { k, lambda } = advantage >= 0 ? vespo.positive : vespo.negative;
      // Product of powers where the loss adds logarithms.
      const within = Math.min(Math.max(answerRatio, 1e-8), Math.exp(20));
      return -(within ** k) * Math.exp(lambda * (1 - within)) * advantage * logprob;
    }
    case 'ppo':
    case 'grpo':
    case 'bnpo':
    case 'dr_grpo':
    case 'dapo':
    case 'luspo': {
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
 * Completions of 1 to `length` tokens after prompts of 0 or more tokens, with padding behind them. All entries are f32, and 0 outside the
 * mask. Ratios are between about 0.2 and 5 and at least 1 % away from every one of `kinks`, where the losses have no derivative.
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
      const numbers: Record<(typeof LOSS_NUMBER_NAMES)[number], number> = {
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
