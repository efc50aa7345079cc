/** From a run's settings to the loss that its updates make smaller. */
import { LOSSES, type Reduction } from '../../config/losses.ts';
import type { RunConfig } from '../../config/schema.ts';
import { tokenLoss, type LossSettings, type RatioBounds, type TokenLoss } from './losses.ts';
import { reductionOf } from './reduction.ts';

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
