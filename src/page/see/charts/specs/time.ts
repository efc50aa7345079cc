/** Charts of time, tokens and memory. */
import type { StepMetrics } from '@rl-playground/run/metrics';
import { count, fixed, percent } from '../../../ui/text/format.ts';
import { curvesOf, SHARES, type ChartGroup, type Remark } from './spec.ts';

const MEBIBYTE = 2 ** 20;

/** Busy times of the latest step in words. More than 100% together means that trainer and generators worked at the same time. */
export function overlapRemark(metrics: readonly StepMetrics[]): Remark | null {
  const last = metrics.at(-1);
  if (last === undefined || last.trainerBusyShare === null || last.generatorsBusyShare === null) return null;
  const { trainerBusyShare: trainer, generatorsBusyShare: generators, step } = last;
  const both = trainer + generators - 1;
  const found = `Step ${step}: trainer busy ${percent(trainer, 0)} of the time, generators ${percent(generators, 0)}.`;
  const text =
    both > 0.005
      ? `${found} Together that is more than the step, so sampling and training overlapped for at least ${percent(both, 0)} of it.`
      : `${found} Together that is no more than the step: they may have taken turns.`;
  return { spoken: '', text };
}

export const TIME_CHARTS: ChartGroup = {
  title: 'Time and memory',
  note: 'who is busy, stages, tokens, memory',
  charts: [
    {
      id: 'busy',
      title: 'Busy share',
      unit: 'share of the step',
      reading:
        'When trainer and generators take turns, the two add up to at most 100%; side by side, both can be near 100%.',
      ...curvesOf({ trainerBusyShare: 'trainer', generatorsBusyShare: 'generators' }),
      ...SHARES,
      format: (value) => percent(value, 0),
      remark: overlapRemark,
    },
    {
      id: 'stages',
      title: 'Time per stage',
      unit: 'seconds',
      reading: 'How the time of a step is spent, seen from the trainer.',
      ...curvesOf({
        secondsRollout: 'waiting for answers',
        secondsTrain: 'training',
        secondsReward: 'scoring',
        secondsSync: 'handing weights over',
      }),
      format: (value) => fixed(value, 3),
      shape: 'stack',
    },
    {
      id: 'seconds',
      title: 'Time per step',
      unit: 'seconds',
      reading: 'The whole step, and the time of a group of answers from its start to its last token.',
      ...curvesOf({
        seconds: 'step',
        samplingSecondsMin: 'fastest group',
        samplingSecondsMean: 'mean group',
        samplingSecondsMax: 'slowest group',
      }),
      format: (value) => fixed(value, 2),
    },
    {
      id: 'tokens',
      title: 'Tokens per step',
      unit: 'tokens',
      reading: 'Tokens that the model wrote, and tokens of prompts that it read.',
      ...curvesOf({ completionTokens: 'answers', promptTokens: 'prompts' }),
      format: count,
    },
    {
      id: 'memory',
      title: 'Memory',
      unit: 'MiB',
      reading: 'Memory of the trainer on its device, and size of a transfer of weights to the generators.',
      ...curvesOf({ memoryBytes: 'device', handedOverBytes: 'handed over' }, MEBIBYTE),
    },
  ],
};
