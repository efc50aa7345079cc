/** Metrics of the run's progress and a step's updates: loss, gradient, learning rate, tokens at which clipping acted. */
import { greatest, least, meanOrNull } from '@rl-playground/base/statistics';
import type { UpdateRecord } from '@rl-playground/engine/parts';
import { metric, optionalMetric, type StepContext } from './context.ts';

/** The share of each update's tokens whose ratio p / p_old is beyond its bounds on the side on which clipping acts; none without clipping. */
const clipped = ({ clip, updates }: StepContext): readonly UpdateRecord[] => (clip === null ? [] : updates);
const low = (context: StepContext): number[] => clipped(context).map((update) => update.clippedLow);
const high = (context: StepContext): number[] => clipped(context).map((update) => update.clippedHigh);

export const PROGRESS_METRICS = {
  progressBatch: optionalMetric({
    names: ['progress/batch'],
    label: 'Batch',
    unit: 'number',
    formula: 'index of the step’s batch, counted from 0: step − 1',
    value: ({ step }) => step - 1,
  }),
  progressDone: optionalMetric({
    names: ['progress/done_frac'],
    label: 'Done',
    unit: 'share',
    formula: 'step / steps of the run',
    value: ({ step, totalSteps }) => step / totalSteps,
  }),
} as const;

export const UPDATE_METRICS = {
  loss: optionalMetric({
    names: ['optim/loss', 'loss'],
    label: 'Loss',
    unit: 'number',
    formula: 'mean of L over the updates of the step, each before it was made',
    value: ({ updates }) => meanOrNull(updates.map((update) => update.loss)),
  }),
  gradNorm: optionalMetric({
    names: ['optim/grad_norm', 'grad_norm'],
    label: 'Gradient norm',
    unit: 'number',
    formula: 'global L2 norm of the gradient of the last update, before clipping',
    value: ({ updates }) => updates.at(-1)?.gradNorm ?? null,
  }),
  gradNormMax: optionalMetric({
    names: ['optim/grad_norm_max'],
    label: 'Largest gradient norm',
    unit: 'number',
    formula: 'the largest of the norms of the step’s updates, before clipping',
    value: ({ updates }) => greatest(updates.map((update) => update.gradNorm)),
  }),
  learningRate: metric({
    names: ['optim/lr', 'learning_rate'],
    label: 'Learning rate',
    unit: 'number',
    formula: 'as the schedule sets it for the step',
    value: (context) => context.learningRate,
  }),
  updates: optionalMetric({
    names: ['optim/updates'],
    label: 'Updates',
    unit: 'updates',
    formula: 'optimizer steps made in the step',
    value: (context) => context.updates.length,
  }),
  updatesSkipped: optionalMetric({
    names: ['optim/updates_skipped'],
    label: 'Updates left out',
    unit: 'updates',
    formula: 'updates that an early stop by target KL left out',
    value: (context) => context.updatesSkipped,
  }),
  clipLow: optionalMetric({
    names: ['clip_ratio/low_mean'],
    label: 'Clipped low',
    unit: 'share',
    formula: 'mean over updates of the share of tokens with ratio < lower bound and A < 0',
    value: (context) => meanOrNull(low(context)),
  }),
  clipLowMin: optionalMetric({
    names: ['clip_ratio/low_min'],
    label: 'Clipped low, least',
    unit: 'share',
    formula: 'the smallest of those shares',
    value: (context) => least(low(context)),
  }),
  clipHigh: optionalMetric({
    names: ['clip_ratio/high_mean'],
    label: 'Clipped high',
    unit: 'share',
    formula: 'mean over updates of the share of tokens with ratio > upper bound and A > 0',
    value: (context) => meanOrNull(high(context)),
  }),
  clipHighMax: optionalMetric({
    names: ['clip_ratio/high_max'],
    label: 'Clipped high, greatest',
    unit: 'share',
    formula: 'the largest of those shares',
    value: (context) => greatest(high(context)),
  }),
  clipRegion: optionalMetric({
    names: ['clip_ratio/region_mean'],
    label: 'Clipped',
    unit: 'share',
    formula: 'mean over updates of the share of tokens clipped low or high',
    value: (context) => meanOrNull(clipped(context).map((update) => update.clippedLow + update.clippedHigh)),
  }),
  cispoClipRatio: optionalMetric({
    names: ['cispo_clip_ratio'],
    label: 'Clipped weights',
    unit: 'share',
    formula: 'under CISPO, mean over updates of the share of tokens with ratio > upper bound and A > 0',
    value: (context) => (context.clip?.of === 'weight' ? meanOrNull(high(context)) : null),
  }),
} as const;

const ofValueHead = ({ updates }: StepContext): NonNullable<UpdateRecord['value']>[] =>
  updates.flatMap(({ value }) => value ?? []);

/** Metrics of a run with a value head. */
export const VALUE_METRICS = {
  valueLoss: optionalMetric({
    names: ['loss/value_avg'],
    label: 'Value loss',
    unit: 'number',
    formula: 'mean over updates of the token mean of the value head’s loss, without its coefficient',
    value: (context) => meanOrNull(ofValueHead(context).map(({ loss }) => loss)),
  }),
  valueClipped: optionalMetric({
    names: ['val/clipfrac_avg'],
    label: 'Clipped values',
    unit: 'share',
    formula:
      'mean over updates of the share of tokens whose clipped value is further off the return than the value',
    value: (context) => meanOrNull(ofValueHead(context).map(({ clipped: share }) => share)),
  }),
  explainedVariance: optionalMetric({
    names: ['val/var_explained'],
    label: 'Explained variance',
    unit: 'number',
    formula:
      '1 − Var(R − V) / Var(R) over tokens, V the values before the step’s updates and R their returns',
    value: (context) => context.explainedVariance,
  }),
} as const;
