/** The loss that a run's settings ask for. */
import {
  LOSSES,
  type LossSettings,
  type RatioBounds,
  reductionOf,
  type LossOptions,
} from '@rl-playground/engine/parts';
import { tokenLoss } from '@rl-playground/engine/parts/tensors';
import type { RunConfig } from '../settings/schema/schema.ts';

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
    delta: above0(config.clipDelta),
    ratioLevel: config.ratioLevel,
    droBeta: config.droBeta,
    sapo: { positive: config.sapoTemperaturePositive, negative: config.sapoTemperatureNegative },
    vespo: {
      positive: { k: config.vespoKPositive, lambda: config.vespoLambdaPositive },
      negative: { k: config.vespoKNegative, lambda: config.vespoLambdaNegative },
    },
    kl:
      config.klBeta > 0
        ? {
            estimator: config.klEstimator,
            beta: config.klBeta,
            biasCorrection: config.klBiasCorrection,
          }
        : null,
    importanceMode: config.importanceMode,
    importanceFloor: above0(config.importanceFloor),
    importanceCap: above0(config.importanceCap),
    offPolicyThreshold: above0(config.offPolicyThreshold),
  };
}

/** Reads a setting that is off at 0. */
const above0 = (value: number): number | null => (value > 0 ? value : null);

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
    topEntropyQuantile: config.topEntropyQuantile,
    entropyCoef: config.entropyCoef,
    value:
      config.baseline === 'value'
        ? { coefficient: config.valueCoef, clipRange: config.valueClip > 0 ? config.valueClip : null }
        : null,
  };
}
