/** Turns a loss that a call of the engine names into its function and weights, or says what is wrong with it. */
import { IMPORTANCE_MODES, LOSSES, REDUCTIONS, type LossName, type Reduction } from './lossRows.ts';
import type { Sequence } from './sequence.ts';
import { correctsSampler } from './corrections.ts';
import type { EntropyTerms } from './entropyTerms.ts';
import type { TokenLoss } from './inputs.ts';
import { LOSS_NAMES, PLAIN_LOSS, tokenLoss, type LossSettings } from './losses.ts';
import { reductionOf, weightsOfWhole } from './reduction.ts';
import type { ValueTerm } from './valueLoss.ts';

/** A loss by name, with the settings that differ from its own system's. */
export type NamedLoss = { readonly loss: LossName } & Partial<LossSettings & EntropyTerms> & {
    readonly reduction?: Reduction;
    /** L_max of `max_length`, the only reduction that needs it. */
    readonly maxLength?: number;
  };

/** A loss that the loop weighs itself: the loss of each token, and the weight of each sequence's tokens. */
export interface WeightedLoss extends Partial<EntropyTerms> {
  readonly tokenLoss: TokenLoss;
  readonly weightOf: (index: number) => number;
  /** The term that a value head learns from beside it. */
  readonly value?: ValueTerm | null;
}

const SETTING_NAMES = [
  'loss',
  ...Object.keys(PLAIN_LOSS),
  'topEntropyQuantile',
  'entropyCoef',
  'reduction',
  'maxLength',
];

/**
 * Returns the loss over `sequences`, which are one update. With `ratioToItself` p_old is p.
 *
 * @throws Error if a name, a setting or a reduction does not exist, and if the sequences lack an array that the loss reads.
 */
export function weightedLoss(
  sequences: readonly Sequence[],
  wanted: LossName | NamedLoss,
  ratioToItself = false,
): WeightedLoss {
  const { loss, reduction, maxLength, topEntropyQuantile = 1, entropyCoef = 0, ...changes } = checked(wanted);
  const chosen = reduction ?? reductionOf(loss, 'auto');
  if (chosen === 'max_length' && !(maxLength !== undefined && maxLength >= 1))
    throw new Error(
      `The reduction of "${loss}" divides by the longest completion allowed, found ${maxLength}; pass it as maxLength, in tokens.`,
    );
  const settings: LossSettings = { ...PLAIN_LOSS, ...changes, loss };
  checkChoices(settings);
  checkNumbers({ ...settings, topEntropyQuantile, entropyCoef });
  sequences.forEach((sequence, index) => checkInputs(sequence, index, settings, ratioToItself));
  return {
    tokenLoss: tokenLoss(settings),
    weightOf: weightsOfWhole(sequences, chosen, maxLength ?? 1),
    topEntropyQuantile,
    entropyCoef,
  };
}

function checked(wanted: LossName | NamedLoss): NamedLoss {
  const named = typeof wanted === 'string' ? { loss: wanted } : wanted;
  if (!LOSS_NAMES.includes(named.loss))
    throw new Error(
      `There is no loss "${named.loss}"; choose one of: ${LOSS_NAMES.join(', ')}, or pass a function.`,
    );
  const unknown = Object.keys(named).find((key) => !SETTING_NAMES.includes(key));
  if (unknown !== undefined)
    throw new Error(
      `There is no setting "${unknown}" of a loss; the settings are: ${SETTING_NAMES.join(', ')}.`,
    );
  if (named.reduction !== undefined && !REDUCTIONS.includes(named.reduction))
    throw new Error(`There is no reduction "${named.reduction}"; choose one of: ${REDUCTIONS.join(', ')}.`);
  return named;
}

function checkNumbers(settings: LossSettings & EntropyTerms): void {
  const { bounds, delta, kl, importanceFloor, importanceCap, droBeta } = settings;
  const { low, high } = bounds ?? {};
  if (!(low >= 0 && low <= high))
    throw new Error(
      `Ratios are to be clipped to ${low} … ${high}; the lower bound must be from 0 to the upper one: bounds: { low, high }.`,
    );
  const mayBeNull = {
    delta,
    'kl.beta': kl?.beta ?? null,
    importanceFloor,
    importanceCap,
    offPolicyThreshold: settings.offPolicyThreshold,
  };
  for (const [name, value] of Object.entries(mayBeNull))
    if (value !== null && !isPositive(value))
      throw new Error(`${name} is ${value}; it must be a number above 0, or null.`);
  const { sapo, vespo } = settings;
  const positive = {
    droBeta,
    'sapo.positive': sapo?.positive,
    'sapo.negative': sapo?.negative,
    'vespo.positive.lambda': vespo?.positive?.lambda,
    'vespo.negative.lambda': vespo?.negative?.lambda,
    'vespo.positive.k': vespo?.positive?.k,
    'vespo.negative.k': vespo?.negative?.k,
  };
  for (const [name, value] of Object.entries(positive))
    if (!isPositive(value)) throw new Error(`${name} is ${value}; it must be a number above 0.`);
  const { topEntropyQuantile, entropyCoef } = settings;
  if (!(topEntropyQuantile >= 0 && topEntropyQuantile <= 1))
    throw new Error(`topEntropyQuantile is ${topEntropyQuantile}; it is a share and must be from 0 to 1.`);
  if (!(entropyCoef >= 0 && Number.isFinite(entropyCoef)))
    throw new Error(`entropyCoef is ${entropyCoef}; it must be a number from 0 up.`);
  if (importanceFloor !== null && importanceCap !== null && importanceFloor >= importanceCap)
    throw new Error(
      `importanceFloor is ${importanceFloor} and importanceCap ${importanceCap}; the floor must be below the cap.`,
    );
}

const isPositive = (value: number | undefined): boolean => Number(value) > 0 && Number.isFinite(value);

function checkChoices(settings: LossSettings): void {
  const { loss, ratioLevel, delta, kl, importanceMode } = settings;
  if (ratioLevel !== 'token' && ratioLevel !== 'sequence')
    throw new Error(`There is no ratioLevel "${String(ratioLevel)}"; choose token or sequence.`);
  const { clips, answerRatio } = LOSSES[loss];
  if (ratioLevel === 'sequence' && !answerRatio)
    throw new Error(`The loss "${loss}" has no ratio of a whole answer; leave ratioLevel at token.`);
  if (delta !== null && clips !== 'ratio')
    throw new Error(
      `delta is ${delta}, but the loss "${loss}" has no clipped ratio with an open side; leave it out.`,
    );
  if (!IMPORTANCE_MODES.includes(importanceMode))
    throw new Error(
      `There is no importanceMode "${String(importanceMode)}"; choose one of: ${IMPORTANCE_MODES.join(', ')}.`,
    );
  if (loss === 'vespo' && correctsSampler(settings) && importanceMode.startsWith('sequence'))
    throw new Error(
      `importanceMode is "${importanceMode}", but the loss "vespo" multiplies weights of single tokens itself; choose token_truncate or token_mask.`,
    );
  if (kl === null) return;
  const estimator: unknown = kl.estimator;
  if (estimator === 'k1')
    throw new Error(
      'The expected gradient of k1 as a loss is zero, so it would hold nothing back; choose k2 or k3 as kl.estimator, or take β · (log p − log p_ref) off the advantages.',
    );
  if (estimator !== 'k2' && estimator !== 'k3')
    throw new Error(
      `There is no kl.estimator "${String(estimator)}"; pass kl: { estimator: 'k2' or 'k3', beta }.`,
    );
  if (kl.biasCorrection === true && estimator !== 'k3')
    throw new Error(
      'kl.biasCorrection makes the gradient of k3 the right one and that of k2 a wrong one; choose k3 as kl.estimator, or leave it out.',
    );
}

/** Refuses empty arrays that the loss reads. They would count as zeros: no advantage anywhere, or a sampler that was always sure. */
function checkInputs(
  sequence: Sequence,
  index: number,
  settings: LossSettings,
  ratioToItself: boolean,
): void {
  const { loss, kl, offPolicyThreshold } = settings;
  const { advantages, samplerLogprobs, oldLogprobs = [], referenceLogprobs = [] } = sequence;
  const old = oldLogprobs.length > 0 ? oldLogprobs : samplerLogprobs;
  const reads: readonly (readonly [name: string, values: ArrayLike<number>, when: boolean])[] = [
    ['advantages', advantages, true],
    ['samplerLogprobs', old, (!LOSSES[loss].ignoresOld || kl?.biasCorrection === true) && !ratioToItself],
    ['samplerLogprobs', samplerLogprobs, correctsSampler(settings) || offPolicyThreshold !== null],
    ['referenceLogprobs', referenceLogprobs, kl !== null],
  ];
  for (const [name, values, when] of reads)
    if (when && values.length === 0)
      throw new Error(
        `Sequence ${index} has no ${name}, which this "${loss}" reads; pass one for each token of the completion.`,
      );
}
