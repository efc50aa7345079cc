/** Shows the recorded run in the charts, until a run begins or is opened. */
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { showRecording, type Arm } from '../../see/arms/chartsStore.ts';
import { defaultConfig } from '@rl-playground/run/settings';
import { metricsOf, type MetricKey, type StepMetrics } from '@rl-playground/run/metrics';
import recorded from './run.json';

export function hideRecorded(): void {
  showRecording(null);
}

/** The recording does not fit if the page has another task, a model from elsewhere or a run of its own. */
function isElsewhere(): boolean {
  const { metrics, sft, modelName, modelIsOurs } = useRun.getState().snapshot;
  if (useForm.getState().form.task !== recorded.task || (modelName !== null && !modelIsOurs)) return true;
  return metrics.length > 0 || sft.losses.length > 0;
}

/** Shows the recording when the page opens with its task and without a run. */
export function welcome(): void {
  if (isElsewhere()) return;
  showRecording(recordedArm());
  const look = (): void => {
    if (!isElsewhere()) return;
    for (const stop of stops) stop();
    hideRecorded();
  };
  const stops = [useRun.subscribe(look), useForm.subscribe(look)];
}

/** Each step has its number, reward, accuracy, format and KL. Each evaluation has its step, the sampled accuracy, the greedy one and the format. */
export { recorded };

/** A step with the recorded metrics; the others are absent. */
function stepOf([step = 0, reward, accuracy, format, kl]: readonly number[]): StepMetrics {
  const found: Partial<Record<MetricKey, number | undefined>> = { reward, accuracy, format, kl };
  return metricsOf(step, [], [], ({ key, optional }) => found[key] ?? (optional ? null : NaN));
}

const METRICS = recorded.steps.map(stepOf);

export function recordedArm(): Arm {
  const { task, numSteps, seed } = recorded;
  const config = { ...defaultConfig(task), numSteps, seed };
  return {
    id: 'recorded',
    name: 'recorded run',
    colour: 'var(--run-5)',
    runs: [],
    records: [{ config, metrics: METRICS, evaluations: [] }],
  };
}
