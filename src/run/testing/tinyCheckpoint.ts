/** A whole run of a tiny model as a checkpoint has it: every part that there is, made up and small. */
import { defaultConfig } from '../settings/presets/presets.ts';
import {
  loadModel,
  filesInMemory,
  type LoadedModel,
  huggingFaceSpecs,
  sizeOf,
  storedInMemory,
  widened,
} from '@rl-playground/engine/parts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { GRADER_DEFAULTS, type CustomTask, type TaskRows } from '@rl-playground/tasks/parts';
import { tinyConfigJson, tinyModelFolder, tinyTensors } from '@rl-playground/engine/testing/modelFolder';
import { distinctStepMetrics } from './stepMetrics.ts';

const evaluation = (at: number, accuracy: number) => ({
  step: at,
  accuracy,
  format: 1,
  n: 2,
  tasks: [{ task: 'a', reward: 0.5, accuracy, format: 1, n: 2, level: null }],
  temperature: 1,
  seconds: 0.5,
  samples: [
    {
      task: 'a',
      question: '1+2',
      answer: '3',
      text: '[ANSWER] 3',
      extracted: '3',
      correct: true,
      format: true,
    },
  ],
});

export const TASK_ROWS: TaskRows = {
  task: 'gsm8k',
  origin: { source: 'hub:openai/gsm8k', commit: 'c'.repeat(40), sha256: 'd'.repeat(64) },
  train: [{ question: 'How many?', answer: 'Few.\n#### 3' }],
  test: [],
};
const CUSTOM_TASK: CustomTask = {
  name: 'capitals',
  rows: [{ question: 'Capital of Norway?', answer: 'Oslo' }],
  grader: GRADER_DEFAULTS.exact,
  system: '',
};

export const tinyCheckpointModel = (): Promise<LoadedModel> =>
  loadModel(filesInMemory('tiny', tinyModelFolder()));

/** Its model has other weights than `tinyCheckpointModel`, which is the reference. */
export async function tinyCheckpointParts(): Promise<CheckpointParts> {
  const model = await tinyCheckpointModel();
  const specs = huggingFaceSpecs(model.config);
  const moments = new Map(
    specs.map(({ name, shape }, index) => [
      name,
      {
        m: Float32Array.from({ length: sizeOf(shape) }, (_, i) => Math.cos(i + index)),
        v: Float32Array.from({ length: sizeOf(shape) }, (_, i) => 1e-12 * (i + index)),
      },
    ]),
  );
  return {
    model: { ...model, weights: storedInMemory(tinyTensors(tinyConfigJson, 0.5)) },
    optimizer: { step: 12, moments },
    adapter: null,
    reference: await widened(model.weights),
    runConfig: defaultConfig('sum_digits'),
    trainerState: {
      step: 12,
      policyVersion: 13,
      baseline: 0.1 + 0.2,
      position: { next: 40, again: [{ index: 3, attempt: 1, level: 2 }] },
      totalTokens: 12345,
      rolloutErrors: 2,
      groupsSkipped: 1,
      curriculum: [{ level: 2, recent: [true, false] }],
      sftLosses: [2.5, 0.1 + 0.2],
      seed: 4,
      wallSeconds: 77.25,
      settingsSince: 0,
      gemmPlans: { adapter: 'a|b', choices: { 'nn large': 'direct 4x4/64' } },
    },
    customTasks: [CUSTOM_TASK],
    taskRows: [TASK_ROWS],
    metrics: [distinctStepMetrics(1), { ...distinctStepMetrics(2), baseline: null }],
    evaluations: [evaluation(0, 0.5), evaluation(2, 0.75), evaluation(12, 1), evaluation(12, 0.5)],
  };
}
