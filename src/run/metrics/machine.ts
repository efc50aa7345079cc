/** Metrics that the machine decides: wall time of a step and its stages, work of trainer and generators, and memory. */
import { greatest, least, meanOrNull } from '@rl-playground/base/statistics';
import { metric, optionalMetric, type StepContext } from './context.ts';
import { byGroup } from './statistics.ts';

/** The seconds in which each group was sampled: from its start to the last token of its last completion. */
const groupSeconds = (context: StepContext): number[] =>
  byGroup(context).flatMap((group) => greatest(group.map(({ samplingSeconds }) => samplingSeconds)) ?? []);

export const MACHINE_METRICS = {
  seconds: metric('seconds', {
    names: ['time/total', 'step_time'],
    label: 'Step',
    formula: 'wall time of the step',
    value: ({ times }) => times.total,
  }),
  secondsRollout: metric('seconds', {
    names: ['time/rollout'],
    label: 'Waiting for completions',
    formula: 'wall time in which the trainer waited for completions: all of the sampling when taking turns',
    value: ({ times }) => times.rollout,
  }),
  secondsReward: optionalMetric('seconds', {
    names: ['time/reward'],
    label: 'Scoring',
    formula: 'wall time of scoring the completions',
    value: ({ times }) => times.reward,
  }),
  secondsTrain: metric('seconds', {
    names: ['time/train'],
    label: 'Training',
    formula: 'wall time of forward and backward passes and updates',
    value: ({ times }) => times.train,
  }),
  secondsSync: metric('seconds', {
    names: ['time/sync'],
    label: 'Handing weights over',
    formula: 'wall time of handing the new weights to the generators',
    value: ({ times }) => times.sync,
  }),
  trainerBusy: optionalMetric('seconds', {
    names: ['time/trainer_busy'],
    label: 'Trainer busy',
    formula: 'time of the step in which the trainer scored, trained or handed weights over',
    value: ({ times }) => times.trainerBusy,
  }),
  generatorsBusy: optionalMetric('seconds', {
    names: ['time/generators_busy'],
    label: 'Generators busy',
    formula: 'time of the step in which generators sampled, summed over them',
    value: ({ times }) => times.generatorsBusy,
  }),
  trainerBusyShare: optionalMetric('share', {
    names: ['time/trainer_busy_share'],
    label: 'Trainer busy, share',
    formula: 'trainer busy / wall time',
    value: ({ times }) => (times.total > 0 ? times.trainerBusy / times.total : null),
  }),
  generatorsBusyShare: optionalMetric('share', {
    names: ['time/generators_busy_share'],
    label: 'Generators busy, share',
    formula: 'generators busy / (wall time · generators)',
    value: ({ times, generators }) => {
      const wall = times.total * generators;
      return wall > 0 ? times.generatorsBusy / wall : null;
    },
  }),
  samplingSecondsMax: optionalMetric('seconds', {
    names: ['time/sampling_time_max'],
    label: 'Slowest group',
    formula: 'greatest sampling time of a group',
    value: (context) => greatest(groupSeconds(context)),
  }),
  samplingSecondsMin: optionalMetric('seconds', {
    names: ['time/sampling_time_min'],
    label: 'Fastest group',
    formula: 'least sampling time of a group',
    value: (context) => least(groupSeconds(context)),
  }),
  samplingSecondsMean: optionalMetric('seconds', {
    names: ['time/sampling_time_mean'],
    label: 'Mean sampling time',
    formula: 'mean over groups of the sampling time',
    value: (context) => meanOrNull(groupSeconds(context)),
  }),
  memoryBytes: optionalMetric('bytes', {
    names: ['memory/gpu_bytes'],
    label: 'GPU memory',
    formula: 'bytes that the trainer has allocated on the GPU at the end of the step; null on the CPU',
    value: (context) => context.memoryBytes,
  }),
  handedOverBytes: optionalMetric('bytes', {
    names: ['memory/handed_over_bytes'],
    label: 'Weights handed over',
    formula: 'bytes of weights that each hand-over sends to a generator',
    value: (context) => context.handedOverBytes,
  }),
} as const;
