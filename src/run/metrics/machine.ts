/** Metrics that the machine decides: wall time of a step and its stages, work of trainer and generators, and memory. */
import { greatest, least, meanOrNull } from '@rl-playground/base/statistics';
import { metric, optionalMetric, type StepContext } from './context.ts';
import { byGroup } from './statistics.ts';

/** The seconds in which each group was sampled: from its start to the last token of its last completion. */
const groupSeconds = (context: StepContext): number[] =>
  byGroup(context).flatMap((group) => greatest(group.map(({ samplingSeconds }) => samplingSeconds)) ?? []);

export const MACHINE_METRICS = {
  seconds: metric({
    names: ['time/total', 'step_time'],
    label: 'Step',
    unit: 'seconds',
    formula: 'wall time of the step',
    value: ({ times }) => times.total,
  }),
  secondsRollout: metric({
    names: ['time/rollout'],
    label: 'Waiting for completions',
    unit: 'seconds',
    formula: 'wall time in which the trainer waited for completions: all of the sampling when taking turns',
    value: ({ times }) => times.rollout,
  }),
  secondsReward: optionalMetric({
    names: ['time/reward'],
    label: 'Scoring',
    unit: 'seconds',
    formula: 'wall time of scoring the completions',
    value: ({ times }) => times.reward,
  }),
  secondsTrain: metric({
    names: ['time/train'],
    label: 'Training',
    unit: 'seconds',
    formula: 'wall time of forward and backward passes and updates',
    value: ({ times }) => times.train,
  }),
  secondsSync: metric({
    names: ['time/sync'],
    label: 'Handing weights over',
    unit: 'seconds',
    formula: 'wall time of handing the new weights to the generators',
    value: ({ times }) => times.sync,
  }),
  trainerBusy: optionalMetric({
    names: ['time/trainer_busy'],
    label: 'Trainer busy',
    unit: 'seconds',
    formula: 'time of the step in which the trainer scored, trained or handed weights over',
    value: ({ times }) => times.trainerBusy,
  }),
  generatorsBusy: optionalMetric({
    names: ['time/generators_busy'],
    label: 'Generators busy',
    unit: 'seconds',
    formula: 'time of the step in which generators sampled, summed over them',
    value: ({ times }) => times.generatorsBusy,
  }),
  trainerBusyShare: optionalMetric({
    names: ['time/trainer_busy_share'],
    label: 'Trainer busy, share',
    unit: 'share',
    formula: 'trainer busy / wall time',
    value: ({ times }) => (times.total > 0 ? times.trainerBusy / times.total : null),
  }),
  generatorsBusyShare: optionalMetric({
    names: ['time/generators_busy_share'],
    label: 'Generators busy, share',
    unit: 'share',
    formula: 'generators busy / (wall time · generators)',
    value: ({ times, generators }) => {
      const wall = times.total * generators;
      return wall > 0 ? times.generatorsBusy / wall : null;
    },
  }),
  samplingSecondsMax: optionalMetric({
    names: ['time/sampling_time_max'],
    label: 'Slowest group',
    unit: 'seconds',
    formula: 'greatest sampling time of a group',
    value: (context) => greatest(groupSeconds(context)),
  }),
  samplingSecondsMin: optionalMetric({
    names: ['time/sampling_time_min'],
    label: 'Fastest group',
    unit: 'seconds',
    formula: 'least sampling time of a group',
    value: (context) => least(groupSeconds(context)),
  }),
  samplingSecondsMean: optionalMetric({
    names: ['time/sampling_time_mean'],
    label: 'Mean sampling time',
    unit: 'seconds',
    formula: 'mean over groups of the sampling time',
    value: (context) => meanOrNull(groupSeconds(context)),
  }),
  memoryBytes: optionalMetric({
    names: ['memory/gpu_bytes'],
    label: 'GPU memory',
    unit: 'bytes',
    formula: 'bytes that the trainer has allocated on the GPU at the end of the step; null on the CPU',
    value: (context) => context.memoryBytes,
  }),
  handedOverBytes: optionalMetric({
    names: ['memory/handed_over_bytes'],
    label: 'Weights handed over',
    unit: 'bytes',
    formula: 'bytes of weights that each hand-over sends to a generator',
    value: (context) => context.handedOverBytes,
  }),
} as const;
