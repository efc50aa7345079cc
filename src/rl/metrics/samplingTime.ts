/** How long a group takes to sample: from its start to the last token of its last completion. */
import type { StepContext } from './context.ts';
import { optionalMetric } from './metric.ts';
import { byGroup, greatest, least, mean } from './statistics.ts';

const groupSeconds = (context: StepContext): number[] =>
  byGroup(context).flatMap((group) => greatest(group.map(({ samplingSeconds }) => samplingSeconds)) ?? []);

export const samplingSecondsMax = optionalMetric({
  key: 'samplingSecondsMax',
  names: ['time/sampling_time_max'],
  label: 'Slowest group',
  unit: 'seconds',
  formula: 'greatest sampling time of a group',
  value: (context) => greatest(groupSeconds(context)),
});

export const samplingSecondsMin = optionalMetric({
  key: 'samplingSecondsMin',
  names: ['time/sampling_time_min'],
  label: 'Fastest group',
  unit: 'seconds',
  formula: 'least sampling time of a group',
  value: (context) => least(groupSeconds(context)),
});

export const samplingSecondsMean = optionalMetric({
  key: 'samplingSecondsMean',
  names: ['time/sampling_time_mean'],
  label: 'Mean sampling time',
  unit: 'seconds',
  formula: 'mean over groups of the sampling time',
  value: (context) => mean(groupSeconds(context)),
});
