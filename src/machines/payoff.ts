/** How many generators still pay, from what the steps of a run have taken: a calculation by hand, which knows nothing of a network. */
import { plural } from '@rl-playground/base/text';
import { mean } from '@rl-playground/base/statistics';
import type { StepMetrics } from '@rl-playground/run/metrics';

/** One generator more pays where it makes a step shorter by at least this share. */
const WORTH = 0.05;
const MOST = 10_000;
/** Steps at the end of a run that stand for it. */
const LAST_STEPS = 10;

export interface StepWork {
  /** Seconds that all generators together are at work for a step. */
  readonly generating: number;
  /** Seconds that the trainer is at work for it: it scores, trains and hands weights over. */
  readonly training: number;
  /** Whether the two take turns (the synchronous schedule) or work side by side. */
  readonly takeTurns: boolean;
}

/** Seconds of a step with so many generators that are as fast as those that were measured, and that none of them waits. */
export function stepSeconds({ generating, training, takeTurns }: StepWork, generators: number): number {
  const each = generating / generators;
  return takeTurns ? each + training : Math.max(each, training);
}

/** The most of which the last one still makes a step shorter by a twentieth. */
export function generatorsThatPay(work: StepWork): number {
  let count = 1;
  while (count < MOST && stepSeconds(work, count + 1) <= (1 - WORTH) * stepSeconds(work, count)) count++;
  return count;
}

/** Of the last steps of a run; null where it has none, or their generators were not seen at work. */
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

/** For the end of a run. */
export function payoffText(work: StepWork): string {
  const most = generatorsThatPay(work);
  const turns = work.takeTurns ? 'take turns' : 'work side by side';
  return `A step took ${seconds(work.generating)} of generating and ${seconds(work.training)} of training, which ${turns}: up to ${plural(most, 'generator')} as fast as these would pay, with ${
    most === 1 ? 'it' : 'them'
  } a step takes ${seconds(stepSeconds(work, most))}, with one ${seconds(stepSeconds(work, 1))} (docs/machines.md).`;
}
