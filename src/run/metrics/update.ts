/** Metrics of the run's progress and a step's updates: loss, gradient, learning rate, tokens at which clipping acted. */
import { greatest, least, meanOrNull } from '@rl-playground/base/statistics';
import type { UpdateRecord } from '@rl-playground/engine/parts';
import { metric, optionalMetric, type StepContext } from './context.ts';

/** The share of each update's tokens whose ratio p / p_old is beyond its bounds on the side on which clipping acts; none without clipping. */
const clipped = ({ clip, updates }: StepContext): readonly UpdateRecord[] => (clip === null ? [] : updates);
const low = (context: StepContext): number[] => clipped(context).map((update) => update.clippedLow);
const high = (context: StepContext): number[] => clipped(context).map((update) => update.clippedHigh);

export const PROGRESS_METRICS = {
  progressBatch: optionalMetric('number', {
    names: ['progress/batch'],
    label: 'Batch',
    formula: 'index of the step’s batch, counted from 0: step − 1',
    value: ({ step }) => step - 1,
  }),
  progressDone: optionalMetric('share', {
    names: ['progress/done_frac'],
    label: 'Done',
    formula: 'step / steps of the run',
    value: ({ step, totalSteps }) => step / totalSteps,
  }),
} as const;

export const UPDATE_METRICS = {
  loss: optionalMetric('number', {
    names: ['optim/loss', 'loss'],
    label: 'Loss',
    formula: 'mean of L over the updates of the step, each before it was made',
    value: ({ updates }) => meanOrNull(updates.map((update) => update.loss)),
  }),
  gradNorm: optionalMetric('number', {
    names: ['optim/grad_norm', 'grad_norm'],
    label: 'Gradient norm',
    formula: 'global L2 norm of the gradient of the last update, before clipping',
    value: ({ updates }) => updates.at(-1)?.gradNorm ?? null,
  }),
  gradNormMax: optionalMetric('number', {
    names: ['optim/grad_norm_max'],
    label: 'Largest gradient norm',
    formula: 'the largest of the norms of the step’s updates, before clipping',
    value: ({ updates }) => greatest(updates.map((update) => update.gradNorm)),
  }),
  learningRate: metric('number', {
    names: ['optim/lr', 'learning_rate'],
    label: 'Learning rate',
    formula: 'as the schedule sets it for the step',
    value: (context) => context.learningRate,
  }),
  updates: optionalMetric('updates', {
    names: ['optim/updates'],
    label: 'Updates',
    formula: 'optimizer steps made in the step',
    value: (context) => context.updates.length,
  }),
  updatesSkipped: optionalMetric('updates', {
    names: ['optim/updates_skipped'],
    label: 'Updates left out',
    formula: 'updates that an early stop by target KL left out',
    value: (context) => context.updatesSkipped,
  }),
  clipLow: optionalMetric('share', {
    names: ['clip_ratio/low_mean'],
    label: 'Clipped low',
    formula: 'mean over updates of the share of tokens with ratio < lower bound and A < 0',
    value: (context) => meanOrNull(low(context)),
  }),
  clipLowMin: optionalMetric('share', {
    names: ['clip_ratio/low_min'],
    label: 'Clipped low, least',
    formula: 'the smallest of those shares',
    value: (context) => least(low(context)),
  }),
  clipHigh: optionalMetric('share', {
    names: ['clip_ratio/high_mean'],
    label: 'Clipped high',
    formula: 'mean over updates of the share of tokens with ratio > upper bound and A > 0',
    value: (context) => meanOrNull(high(context)),
  }),
  clipHighMax: optionalMetric('share', {
    names: ['clip_ratio/high_max'],
    label: 'Clipped high, greatest',
    formula: 'the largest of those shares',
    value: (context) => greatest(high(context)),
  }),
  clipRegion: optionalMetric('share', {
    names: ['clip_ratio/region_mean'],
    label: 'Clipped',
    formula: 'mean over updates of the share of tokens clipped low or high',
    value: (context) => meanOrNull(clipped(context).map((update) => update.clippedLow + update.clippedHigh)),
  }),
  cispoClipRatio: optionalMetric('share', {
    names: ['cispo_clip_ratio'],
    label: 'Clipped weights',
    formula: 'under CISPO, mean over updates of the share of tokens with ratio > upper bound and A > 0',
    value: (context) => (context.clip?.of === 'weight' ? meanOrNull(high(context)) : null),
  }),
} as const;

const ofValueHead = ({ updates }: StepContext): NonNullable<UpdateRecord['value']>[] =>
  updates.flatMap(({ value }) => value ?? []);

/** Metrics of a run with a value head. */
export const VALUE_METRICS = {
  valueLoss: optionalMetric('number', {
    names: ['loss/value_avg'],
    label: 'Value loss',
    formula: 'mean over updates of the token mean of the value head’s loss, without its coefficient',
    value: (context) => meanOrNull(ofValueHead(context).map(({ loss }) => loss)),
  }),
  valueClipped: optionalMetric('share', {
    names: ['val/clipfrac_avg'],
    label: 'Clipped values',
    formula:
      'mean over updates of the share of tokens whose clipped value is further off the return than the value',
    value: (context) => meanOrNull(ofValueHead(context).map(({ clipped: share }) => share)),
  }),
  explainedVariance: optionalMetric('number', {
    names: ['val/var_explained'],
    label: 'Explained variance',
    formula:
      '1 − Var(R − V) / Var(R) over tokens, V the values before the step’s updates and R their returns',
    value: (context) => context.explainedVariance,
  }),
} as const;
