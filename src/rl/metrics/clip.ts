/** Shares of tokens whose ratio p / p_old is beyond its bounds on the side where clipping acts. */
import type { StepContext, UpdateRecord } from './context.ts';
import { optionalMetric } from './metric.ts';
import { greatest, least, mean } from './statistics.ts';

function shares({ clip, updates }: StepContext, share: (update: UpdateRecord) => number): number[] {
  return clip === null ? [] : updates.map(share);
}
const low = (update: UpdateRecord): number => update.clippedLow;
const high = (update: UpdateRecord): number => update.clippedHigh;
const region = (update: UpdateRecord): number => update.clippedLow + update.clippedHigh;

export const clipLow = optionalMetric({
  key: 'clipLow',
  names: ['clip_ratio/low_mean'],
  label: 'Clipped low',
  unit: 'share',
  formula: 'mean over updates of the share of tokens with ratio < lower bound and A < 0',
  value: (context) => mean(shares(context, low)),
});

export const clipLowMin = optionalMetric({
  key: 'clipLowMin',
  names: ['clip_ratio/low_min'],
  label: 'Clipped low, least',
  unit: 'share',
  formula: 'the smallest of those shares',
  value: (context) => least(shares(context, low)),
});

export const clipHigh = optionalMetric({
  key: 'clipHigh',
  names: ['clip_ratio/high_mean'],
  label: 'Clipped high',
  unit: 'share',
  formula: 'mean over updates of the share of tokens with ratio > upper bound and A > 0',
  value: (context) => mean(shares(context, high)),
});

export const clipHighMax = optionalMetric({
  key: 'clipHighMax',
  names: ['clip_ratio/high_max'],
  label: 'Clipped high, greatest',
  unit: 'share',
  formula: 'the largest of those shares',
  value: (context) => greatest(shares(context, high)),
});

export const clipRegion = optionalMetric({
  key: 'clipRegion',
  names: ['clip_ratio/region_mean'],
  label: 'Clipped',
  unit: 'share',
  formula: 'mean over updates of the share of tokens clipped low or high',
  value: (context) => mean(shares(context, region)),
});

export const cispoClipRatio = optionalMetric({
  key: 'cispoClipRatio',
  names: ['cispo_clip_ratio'],
  label: 'Clipped weights',
  unit: 'share',
  formula: 'under CISPO, mean over updates of the share of tokens with ratio > upper bound and A > 0',
  value: (context) => (context.clip?.of === 'weight' ? mean(shares(context, high)) : null),
});
