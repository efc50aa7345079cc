/**
 * Every metric of a step. To add one: a definition in a file of its own, made by `metric` or `optionalMetric`, and its name in a list
 * here; charts, logs and the check of docs/metrics.md read the lists.
 */
import type { TaskShare } from '../types.ts';
import { baseline } from './baseline.ts';
import { generatorsBusy, generatorsBusyShare, trainerBusy, trainerBusyShare } from './busy.ts';
import { cispoClipRatio, clipHigh, clipHighMax, clipLow, clipLowMin, clipRegion } from './clip.ts';
import type { StepContext } from './context.ts';
import { accuracy, format } from './correct.ts';
import { entropy, samplerEntropy } from './entropy.ts';
import { gradNorm, gradNormMax } from './gradient.ts';
import { fracAllBad, fracAllGood, fracMixed } from './groupOutcomes.ts';
import { klPrePostV1, klPrePostV2 } from './klPrePost.ts';
import { kl, klK1, klK2, klPolicyBase } from './klReference.ts';
import { klSampleTrainV1, klSampleTrainV2 } from './klSampleTrain.ts';
import { klFirstUpdateV1, klFirstUpdateV2, klLaterUpdatesV1, klLaterUpdatesV2 } from './klUpdates.ts';
import { learningRate } from './learningRate.ts';
import * as lengths from './lengths.ts';
import { loss } from './loss.ts';
import { groupsRequeued, groupsSkipped, rolloutErrors } from './lostWork.ts';
import { handedOverBytes, memoryBytes } from './memory.ts';
import type { Metric } from './metric.ts';
import * as policy from './policyVersion.ts';
import { progressBatch, progressDone } from './progress.ts';
import { reward, rewardGroupMean, rewardGroupStd, rewardStd } from './reward.ts';
import { rewardParts, type RewardPart } from './rewardParts.ts';
import * as gap from './samplerGap.ts';
import { samplingSecondsMax, samplingSecondsMean, samplingSecondsMin } from './samplingTime.ts';
import { seconds, secondsReward, secondsRollout, secondsSync, secondsTrain } from './times.ts';
import * as tokens from './tokens.ts';
import { updates, updatesSkipped } from './updates.ts';
import { answerVariancePct, rewardVariancePct } from './variance.ts';
import { fracRewardZeroStd } from './zeroStd.ts';

export type { Metric, Unit } from './metric.ts';
export type { RewardPart } from './rewardParts.ts';

/** What the run's settings and seed decide: the same in every repetition of a synchronous run. */
const OF_THE_RUN = [
  progressBatch,
  progressDone,
  reward,
  rewardStd,
  rewardGroupMean,
  rewardGroupStd,
  accuracy,
  format,
  fracMixed,
  fracAllGood,
  fracAllBad,
  fracRewardZeroStd,
  rewardVariancePct,
  answerVariancePct,
  baseline,
  loss,
  gradNorm,
  gradNormMax,
  learningRate,
  updates,
  updatesSkipped,
  clipLow,
  clipLowMin,
  clipHigh,
  clipHighMax,
  clipRegion,
  cispoClipRatio,
  entropy,
  samplerEntropy,
  kl,
  klK1,
  klK2,
  klPolicyBase,
  klSampleTrainV1,
  klSampleTrainV2,
  klFirstUpdateV1,
  klFirstUpdateV2,
  klLaterUpdatesV1,
  klLaterUpdatesV2,
  klPrePostV1,
  klPrePostV2,
  gap.samplerGapMean,
  gap.samplerGapMax,
  gap.importanceMin,
  gap.importanceMean,
  gap.importanceMax,
  lengths.meanLength,
  lengths.minLength,
  lengths.maxLength,
  lengths.meanTerminatedLength,
  lengths.minTerminatedLength,
  lengths.maxTerminatedLength,
  lengths.truncated,
  tokens.completions,
  tokens.turnsPerEpisode,
  tokens.completionTokens,
  tokens.promptTokens,
  tokens.meanPromptLength,
  tokens.totalTokens,
  policy.policyVersion,
  policy.trainingVersion,
  policy.samplingVersionMax,
  policy.samplingVersionMin,
  policy.samplingVersionMean,
  policy.policyAgeMax,
  policy.policyAgeMin,
  policy.policyAgeMean,
  groupsRequeued,
  rolloutErrors,
  groupsSkipped,
] as const;

/** What the machine decides. */
const OF_THE_MACHINE = [
  seconds,
  secondsRollout,
  secondsReward,
  secondsTrain,
  secondsSync,
  trainerBusy,
  generatorsBusy,
  trainerBusyShare,
  generatorsBusyShare,
  samplingSecondsMax,
  samplingSecondsMin,
  samplingSecondsMean,
  memoryBytes,
  handedOverBytes,
] as const;

type Definition = (typeof OF_THE_RUN)[number] | (typeof OF_THE_MACHINE)[number];
export type MetricKey = Definition['key'];

export const METRICS: readonly (Metric & { readonly key: MetricKey })[] = [...OF_THE_RUN, ...OF_THE_MACHINE];

/** Metrics that two runs of one seed need not share. */
export const MACHINE_KEYS: readonly MetricKey[] = OF_THE_MACHINE.map(({ key }) => key);

/** Every metric by its key; its definition says formula, unit and when it is null. */
export type MetricValues = { readonly [D in Definition as D['key']]: ReturnType<D['value']> };

/** One record per step; charts, console and files all read these. */
export interface StepMetrics extends MetricValues {
  /** 1 for the first. */
  readonly step: number;
  /** Reward, accuracy and format by task, where there are several or a curriculum. */
  readonly tasks: readonly TaskShare[];
  readonly rewardParts: readonly RewardPart[];
}

/** @throws Error for a step without a completion: nothing about it can be said. */
export function stepMetrics(context: StepContext, tasks: readonly TaskShare[]): StepMetrics {
  if (context.rollouts.length === 0)
    throw new Error(`Step ${context.step} has 0 scored completions; its metrics need at least 1.`);
  return metricsOf(context.step, tasks, rewardParts(context), ({ value }) => value(context));
}

/** A record whose numbers are read one by one. */
export function metricsOf(
  step: number,
  tasks: readonly TaskShare[],
  parts: readonly RewardPart[],
  read: (definition: (typeof METRICS)[number]) => number | null,
): StepMetrics {
  const values = Object.fromEntries(METRICS.map((definition) => [definition.key, read(definition)]));
  return { ...(values as MetricValues), step, tasks, rewardParts: parts };
}
