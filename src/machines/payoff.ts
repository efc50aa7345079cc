/** Computes how many generators still pay, from the times of a run's steps. It leaves out the network. */
import { plural } from '@rl-playground/base/text';
import { mean } from '@rl-playground/base/statistics';
import type { StepMetrics } from '@rl-playground/run/metrics';

/** One more generator pays if it makes a step shorter by at least this share. */
const WORTH = 0.05;
const MOST = 10_000;
/** The last steps of a run, whose times are used. */
const LAST_STEPS = 10;

export interface StepWork {
  /** The seconds that all generators together work for a step. */
  readonly generating: number;
  /** The seconds that the trainer works for a step: it scores, trains and hands weights over. */
  readonly training: number;
  /** True if the two take turns (the synchronous schedule), false if they work side by side. */
  readonly takeTurns: boolean;
}

/** The seconds of a step with so many generators that are as fast as those that were measured, if none of them waits. */
export function stepSeconds({ generating, training, takeTurns }: StepWork, generators: number): number {
  const each = generating / generators;
  return takeTurns ? each + training : Math.max(each, training);
}

/** The largest number of generators at which the last one still shortens a step by a twentieth. */
export function generatorsThatPay(work: StepWork): number {
  let count = 1;
  while (count < MOST && stepSeconds(work, count + 1) <= (1 - WORTH) * stepSeconds(work, count)) count++;
  return count;
}

/** The work in the last steps of a run; null if it has none, or if the work of their generators is not known. */
export function workOf(
  metrics: readonly StepMetrics[],
  schedule: 'sync' | 'stream' | 'async',
): StepWork | null {
  const steps = metrics
    .slice(-LAST_STEPS)
    .flatMap(({ generatorsBusy, trainerBusy }) =>
      generatorsBusy === null || trainerBusy === null || !(generatorsBusy > 0)
        ? []
        : [{ generatorsBusy, trainerBusy }],
    );
  if (steps.length === 0) return null;
  return {
    generating: mean(steps.map(({ generatorsBusy }) => generatorsBusy)),
    training: mean(steps.map(({ trainerBusy }) => trainerBusy)),
    takeTurns: schedule === 'sync',
  };
}

const seconds = (value: number): string => `${value.toPrecision(2)} s`;

/** The advice at the end of a run. */
export function payoffText(work: StepWork): string {
  const most = generatorsThatPay(work);
  const turns = work.takeTurns ? 'take turns' : 'work side by side';
  return `A step took ${seconds(work.generating)} of generating and ${seconds(work.training)} of training, which ${turns}: up to ${plural(most, 'generator')} as fast as these would pay, with ${
    most === 1 ? 'it' : 'them'
  } a step takes ${seconds(stepSeconds(work, most))}, with one ${seconds(stepSeconds(work, 1))} (docs/machines.md).`;
}
