/** A real run, recorded once, which the charts play until there is one of one's own. */
import * as z from 'zod';
import { defaultConfig } from '../../../config/presets.ts';
import { metricsOf, type MetricKey, type StepMetrics } from '../../../rl/metrics/index.ts';
import type { Arm } from '../../see/arms/chartsStore.ts';
import recording from './run.json';

const number = z.number().nullable();

const recordingSchema = z.object({
  task: z.string(),
  numSteps: z.number(),
  /** On the machine that it was made on. */
  seconds: z.number(),
  device: z.string(),
  date: z.string(),
  seed: z.number(),
  /** Step, reward, accuracy, format, KL. */
  steps: z.array(z.tuple([z.number(), number, number, number, number])),
  /** Step; sampled, greedy, format. */
  evaluations: z.array(z.tuple([z.number(), z.number(), z.number(), z.number()])),
});

export const recorded = recordingSchema.parse(recording);

/** A step with the metrics that were recorded; all others are absent. */
function stepOf([step, reward, accuracy, format, kl]: (typeof recorded.steps)[number]): StepMetrics {
  const found: Partial<Record<MetricKey, number | null>> = { reward, accuracy, format, kl };
  return metricsOf(step, [], [], ({ key, optional }) => found[key] ?? (optional ? null : NaN));
}

const METRICS = recorded.steps.map(stepOf);

/** As it is played for the so many-th time. */
export function recordedArm(plays: number): Arm {
  const { task, numSteps, seed } = recorded;
  const config = { ...defaultConfig(task), numSteps, seed };
  return {
    id: 'recorded',
    name: 'recorded run',
    colour: 'var(--run-5)',
    runs: [],
    records: [{ config, metrics: METRICS, evaluations: [] }],
    plays,
  };
}
