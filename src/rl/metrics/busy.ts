/** How much of the wall time trainer and generators computed in: where both are near 1, they overlap. */
import { optionalMetric } from './metric.ts';

export const trainerBusy = optionalMetric({
  key: 'trainerBusy',
  names: ['time/trainer_busy'],
  label: 'Trainer busy',
  unit: 'seconds',
  formula: 'time of the step in which the trainer scored, trained or handed weights over',
  value: ({ times }) => times.trainerBusy,
});

export const generatorsBusy = optionalMetric({
  key: 'generatorsBusy',
  names: ['time/generators_busy'],
  label: 'Generators busy',
  unit: 'seconds',
  formula: 'time of the step in which generators sampled, summed over them',
  value: ({ times }) => times.generatorsBusy,
});

export const trainerBusyShare = optionalMetric({
  key: 'trainerBusyShare',
  names: ['time/trainer_busy_share'],
  label: 'Trainer busy, share',
  unit: 'share',
  formula: 'trainer busy / wall time',
  value: ({ times }) => (times.total > 0 ? times.trainerBusy / times.total : null),
});

export const generatorsBusyShare = optionalMetric({
  key: 'generatorsBusyShare',
  names: ['time/generators_busy_share'],
  label: 'Generators busy, share',
  unit: 'share',
  formula: 'generators busy / (wall time · generators)',
  value: ({ times, generators }) => {
    const wall = times.total * generators;
    return wall > 0 ? times.generatorsBusy / wall : null;
  },
});
