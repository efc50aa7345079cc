/** Metrics that the machine decides: wall time of a step and its stages, work of trainer and generators, and memory. */
import { greatest, least, meanOrNull } from '@rl-playground/base/statistics';
import { metric, optionalMetric, type StepContext } from './context.ts';
import { byGroup } from './statistics.ts';

/** The seconds in which each group was sampled: from its start to the last token of its last completion. */
const groupSeconds = (context: StepContext): number[] =>
  byGroup(context).flatMap((group) => greatest(group.map(({ samplingSeconds }) => samplingSeconds)) ?? []);

export const MACHINE_METRICS = [
  metric({
    key: 'seconds',
    names: ['time/total', 'step_time'],
    label: 'Step',
    unit: 'seconds',
    formula: 'wall time of the step',
    value: ({ times }) => times.total,
  }),
  metric({
    key: 'secondsRollout',
    names: ['time/rollout'],
    label: 'Waiting for completions',
    unit: 'seconds',
    formula: 'wall time in which the trainer waited for completions: all of the sampling when taking turns',
    value: ({ times }) => times.rollout,
  }),
  optionalMetric({
    key: 'secondsReward',
    names: ['time/reward'],
    label: 'Scoring',
    unit: 'seconds',
    formula: 'wall time of scoring the completions',
    value: ({ times }) => times.reward,
  }),
  metric({
    key: 'secondsTrain',
    names: ['time/train'],
    label: 'Training',
    unit: 'seconds',
    formula: 'wall time of forward and backward passes and updates',
    value: ({ times }) => times.train,
  }),
  metric({
    key: 'secondsSync',
    names: ['time/sync'],
    label: 'Handing weights over',
    unit: 'seconds',
    formula: 'wall time of handing the new weights to the generators',
    value: ({ times }) => times.sync,
  }),
  optionalMetric({
    key: 'trainerBusy',
    names: ['time/trainer_busy'],
    label: 'Trainer busy',
    unit: 'seconds',
    formula: 'time of the step in which the trainer scored, trained or handed weights over',
    value: ({ times }) => times.trainerBusy,
  }),
  optionalMetric({
    key: 'generatorsBusy',
    names: ['time/generators_busy'],
    label: 'Generators busy',
    unit: 'seconds',
    formula: 'time of the step in which generators sampled, summed over them',
    value: ({ times }) => times.generatorsBusy,
  }),
  optionalMetric({
    key: 'trainerBusyShare',
    names: ['time/trainer_busy_share'],
    label: 'Trainer busy, share',
    unit: 'share',
    formula: 'trainer busy / wall time',
    value: ({ times }) => (times.total > 0 ? times.trainerBusy / times.total : null),
  }),
  optionalMetric({
    key: 'generatorsBusyShare',
    names: ['time/generators_busy_share'],
    label: 'Generators busy, share',
    unit: 'share',
    formula: 'generators busy / (wall time · generators)',
    value: ({ times, generators }) => {
      const wall = times.total * generators;
      return wall > 0 ? times.generatorsBusy / wall : null;
    },
  }),
  optionalMetric({
    key: 'samplingSecondsMax',
    names: ['time/sampling_time_max'],
    label: 'Slowest group',
    unit: 'seconds',
    formula: 'greatest sampling time of a group',
    value: (context) => greatest(groupSeconds(context)),
  }),
  optionalMetric({
    key: 'samplingSecondsMin',
    names: ['time/sampling_time_min'],
    label: 'Fastest group',
    unit: 'seconds',
    formula: 'least sampling time of a group',
    value: (context) => least(groupSeconds(context)),
  }),
  optionalMetric({
    key: 'samplingSecondsMean',
    names: ['time/sampling_time_mean'],
    label: 'Mean sampling time',
    unit: 'seconds',
    formula: 'mean over groups of the sampling time',
    value: (context) => meanOrNull(groupSeconds(context)),
  }),
  optionalMetric({
    key: 'memoryBytes',
    names: ['memory/gpu_bytes'],
    label: 'GPU memory',
    unit: 'bytes',
    formula: 'bytes that the trainer has allocated on the GPU at the end of the step; null on the CPU',
    value: (context) => context.memoryBytes,
  }),
  optionalMetric({
    key: 'handedOverBytes',
    names: ['memory/handed_over_bytes'],
    label: 'Weights handed over',
    unit: 'bytes',
    formula: 'bytes of weights that each hand-over sends to a generator',
    value: (context) => context.handedOverBytes,
  }),
] as const;
