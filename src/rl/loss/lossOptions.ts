/** Which loss is meant: by a run's settings, or by a name in a call of the engine, which says what is wrong with one that can't be had. */
import { LOSSES, REDUCTIONS, type LossName, type Reduction } from '../../config/losses.ts';
import type { RunConfig } from '../../config/schema.ts';
import type { Sequence } from '../update/batch.ts';
import { LOSS_NAMES, tokenLoss, type LossSettings, type RatioBounds, type TokenLoss } from './losses.ts';
import { reductionOf, weightsOfWhole } from './reduction.ts';

/** Outside of the bounds a ratio is clipped: the one that carries the gradient, or under CISPO the weight of it. */
export interface Clipping extends RatioBounds {
  readonly of: 'ratio' | 'weight';
}

export interface LossOptions {
  readonly tokenLoss: TokenLoss;
  readonly reduction: Reduction;
  /** L_max, tokens. */
  readonly maxTokens: number;
  readonly temperature: number;
  readonly ratioLevel: 'token' | 'sequence';
  /** Null where the loss clips nothing. */
  readonly clip: Clipping | null;
  readonly oldLogprobs: 'sampler' | 'trainer';
}

type ClipSettings = Pick<RunConfig, 'loss' | 'clipMeaning' | 'clipLow' | 'clipHigh'>;

/**
 * ε is a distance from 1: [1 − ε_low, 1 + ε_high]. Under CISPO TRL's ε_high is the largest ratio itself, and there is no smallest.
 */
export function ratioBounds({ loss, clipMeaning, clipLow, clipHigh }: ClipSettings): RatioBounds {
  if (clipMeaning === 'ratio_bounds') return { low: clipLow, high: clipHigh };
  return LOSSES[loss].clips === 'weight'
    ? { low: 0, high: clipHigh }
    : { low: 1 - clipLow, high: 1 + clipHigh };
}

function lossSettings(config: RunConfig): LossSettings {
  return {
    loss: config.loss,
    bounds: ratioBounds(config),
    delta: config.clipDelta > 0 ? config.clipDelta : null,
    ratioLevel: config.ratioLevel,
    droBeta: config.droBeta,
    kl: config.klBeta > 0 ? { estimator: config.klEstimator, beta: config.klBeta } : null,
    importanceCap: config.importanceCap > 0 ? config.importanceCap : null,
  };
}

export function lossOptions(config: RunConfig): LossOptions {
  const { clips } = LOSSES[config.loss];
  return {
    tokenLoss: tokenLoss(lossSettings(config)),
    reduction: reductionOf(config.loss, config.lossReduction, config.clipMeaning),
    maxTokens: config.maxTokens,
    temperature: config.temperature,
    ratioLevel: config.ratioLevel,
    clip: clips === null ? null : { ...ratioBounds(config), of: clips },
    oldLogprobs: config.oldLogprobs,
  };
}

/** A loss by name with what differs from its system's own settings. */
export type NamedLoss = { readonly loss: LossName } & Partial<LossSettings> & {
    readonly reduction?: Reduction;
    /** L_max of `max_length`; needed by it alone. */
    readonly maxLength?: number;
  };

/** What the loop says for itself: each token's loss, and the weight of each sequence's tokens. */
export interface WeightedLoss {
  readonly tokenLoss: TokenLoss;
  readonly weightOf: (index: number) => number;
}

const SYSTEM_SETTINGS: Omit<LossSettings, 'loss'> = {
  bounds: { low: 0.8, high: 1.2 },
  delta: null,
  ratioLevel: 'token',
  droBeta: 0.05,
  kl: null,
  importanceCap: null,
};

const SETTING_NAMES = ['loss', ...Object.keys(SYSTEM_SETTINGS), 'reduction', 'maxLength'];

/**
 * The loss over `sequences`, which are one update. `ratioToItself`: p_old is p. Throws where a name, a setting or a reduction does not
 * exist, and where the sequences lack what the loss reads.
 */
export function weightedLoss(
  sequences: readonly Sequence[],
  wanted: LossName | NamedLoss,
  ratioToItself = false,
): WeightedLoss {
  const { loss, reduction, maxLength, ...changes } = checked(wanted);
  const chosen = reduction ?? reductionOf(loss, 'auto');
  if (chosen === 'max_length' && !(maxLength !== undefined && maxLength >= 1))
    throw new Error(
      `The reduction of "${loss}" divides by the longest completion allowed, found ${maxLength}; pass it as maxLength, in tokens.`,
    );
  const settings: LossSettings = { ...SYSTEM_SETTINGS, ...changes, loss };
  checkChoices(settings);
  checkNumbers(settings);
  sequences.forEach((sequence, index) => checkInputs(sequence, index, settings, ratioToItself));
  return { tokenLoss: tokenLoss(settings), weightOf: weightsOfWhole(sequences, chosen, maxLength ?? 1) };
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

function checkNumbers({ bounds, delta, kl, importanceCap, droBeta }: LossSettings): void {
  const { low, high } = bounds ?? {};
  if (!(low >= 0 && low <= high))
    throw new Error(
      `Ratios are to be clipped to ${low} … ${high}; the lower bound must be from 0 to the upper one: bounds: { low, high }.`,
    );
  const positive = { delta, 'kl.beta': kl?.beta ?? null, importanceCap, droBeta };
  for (const [name, value] of Object.entries(positive))
    if (!(value === null && name !== 'droBeta') && !(Number(value) > 0 && Number.isFinite(value)))
      throw new Error(
        `${name} is ${value}; it must be a number above 0${name === 'droBeta' ? '' : ', or null'}.`,
      );
}

function checkChoices({ loss, ratioLevel, delta, kl }: LossSettings): void {
  if (ratioLevel !== 'token' && ratioLevel !== 'sequence')
    throw new Error(`There is no ratioLevel "${String(ratioLevel)}"; choose token or sequence.`);
  const { clips, answerRatio } = LOSSES[loss];
  if (ratioLevel === 'sequence' && !answerRatio)
    throw new Error(`The loss "${loss}" has no ratio of a whole answer; leave ratioLevel at token.`);
  if (delta !== null && clips !== 'ratio')
    throw new Error(
      `delta is ${delta}, but the loss "${loss}" has no clipped ratio with an open side; leave it out.`,
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
}

/** Empty arrays would count as zeros: no advantage anywhere, or a sampler that was always sure. */
function checkInputs(
  sequence: Sequence,
  index: number,
  { loss, kl, importanceCap }: LossSettings,
  ratioToItself: boolean,
): void {
  const { advantages, samplerLogprobs, oldLogprobs = [], referenceLogprobs = [] } = sequence;
  const old = oldLogprobs.length > 0 ? oldLogprobs : samplerLogprobs;
  const reads: readonly (readonly [name: string, values: ArrayLike<number>, when: boolean])[] = [
    ['advantages', advantages, true],
    ['samplerLogprobs', old, !LOSSES[loss].ignoresOld && !ratioToItself],
    ['samplerLogprobs', samplerLogprobs, importanceCap !== null],
    ['referenceLogprobs', referenceLogprobs, kl !== null],
  ];
  for (const [name, values, when] of reads)
    if (when && values.length === 0)
      throw new Error(
        `Sequence ${index} has no ${name}, which this "${loss}" reads; pass one for each token of the completion.`,
      );
}
