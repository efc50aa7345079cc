import { type LoadedModel, openBytes, widened } from '@rl-playground/engine/parts';
import { LOCAL_ENVIRONMENT, startBackend } from '@rl-playground/engine/parts/tensors';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../settings/check.ts';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { EvalResult } from '../loop/evaluate.ts';
import { stepMetricsWith } from '../testing/stepMetrics.ts';
import { evalResultFromJson } from '../records/evalFiles.ts';
import { readMetricsLog } from '../records/metricsLog.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { tinyCheckpointParts } from '../testing/tinyCheckpoint.ts';
import { trainResults, runFiles } from './runDirectory.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { RunDriver } from '../session/driver.ts';
import { RunLog } from '../records/runLog.ts';
import { UNKNOWN_LIMITS } from '../plan/limits.ts';
import type { Plan } from '../plan/types.ts';
import { Session } from '../session/session.ts';
import { freshStart } from '../session/sessionStart.ts';
import { RunMachine } from '../session/runState.ts';
import { ShownRun } from '../session/snapshot.ts';
import { contents, opened, zipBytes } from '@rl-playground/engine/testing/zips';
import { readZippedCheckpoint } from '../testing/zips.ts';

const evaluation = (step: number, accuracy: number): EvalResult => ({
  step,
  accuracy,
  format: 0.75,
  n: 20,
  tasks: [],
  temperature: 1,
  seconds: 1,
  samples: [],
});

const step = (number: number, reward: number, loss: number | null) =>
  stepMetricsWith({
    step: number,
    reward,
    loss,
    accuracy: 0.5,
    completions: 16,
    totalTokens: 100 * number,
    rewardParts: [{ part: 'accuracy', mean: reward - 0.25, std: 0.5 }],
  });

const ROLLOUTS = '{"step":1}\n{"step":2}\n';
const config = defaultConfig('reverse_digits', 'default');
const metrics = [step(1, 0.5, -0.5), step(2, 0.75, null), step(3, 1.25, 0.25)];
const evaluations = [evaluation(0, 0.1), evaluation(3, 0.85)];
const tiny = await tinyCheckpointParts();
const parts: CheckpointParts = {
  ...tiny,
  model: { ...tiny.model, name: 'starter' },
  runConfig: config,
  trainerState: tiny.trainerState && { ...tiny.trainerState, sftLosses: [], wallSeconds: 12 },
  metrics,
  evaluations,
};
const log = new RunLog();
log.store(3, { steps: 3, file: openBytes(new TextEncoder().encode(ROLLOUTS)) });
log.addCheckpoint(2, opened(new Map([['model.safetensors', new Uint8Array([2])]])));

const made = await contents(await runFiles(parts, log));
const text = (name: string) => new TextDecoder().decode(made.get(name));

describe('the run directory', () => {
  it('has the files of a run, and models in folders of their own', async () => {
    const final = await contents(await checkpointFiles(parts));
    const inFolder = (folder: string): string[] =>
      [...made.keys()].filter((name) => name.startsWith(`${folder}/`)).toSorted();
    expect(inFolder('final_model')).toEqual(
      [...final.keys()].map((name) => `final_model/${name}`).toSorted(),
    );
    expect([...made.keys()].filter((name) => !name.startsWith('final_model/')).toSorted()).toEqual([
      'checkpoint-2/model.safetensors',
      'config.json',
      'eval_results/eval_step_0.json',
      'eval_results/eval_step_3.json',
      'metrics.jsonl',
      'rollouts.jsonl',
      'train_results.json',
    ]);
    expect(made.get('checkpoint-2/model.safetensors')).toEqual(new Uint8Array([2]));
    expect(made.get('final_model/model.safetensors')).toEqual(final.get('model.safetensors'));
  });

  it('has the plan that spoke against the run', async () => {
    const plan: Plan = {
      items: [{ name: 'base weights', where: 'gpu', bytes: 2 ** 33 }],
      peak: { gpu: 2 ** 33, host: 0 },
      limits: { ...UNKNOWN_LIMITS, gpuBytes: 2 ** 32 },
      fits: false,
      advice: [],
      step: { seconds: null, text: '' },
    };
    const overridden = new RunLog();
    overridden.overriddenPlan = { step: 2, plan };
    const files = await contents(await runFiles(parts, overridden));
    const written: unknown = JSON.parse(new TextDecoder().decode(files.get('overridden_plan.json')));
    expect(written).toEqual({ step: 2, plan });
  });

  it('has the settings of the run as its config.json', () => {
    expect(parseConfig(JSON.parse(text('config.json')))).toEqual({ ok: true, config });
  });

  it('has a log and evaluations that can be read back', () => {
    expect(readMetricsLog(text('metrics.jsonl'))).toEqual(metrics);
    expect(text('metrics.jsonl').trimEnd().split('\n')).toHaveLength(5);
    expect(evalResultFromJson(JSON.parse(text('eval_results/eval_step_3.json')))).toEqual(evaluations[1]);
    expect(text('rollouts.jsonl')).toBe(ROLLOUTS);
  });
});

describe('train_results.json', () => {
  const run = { modelName: 'starter', metrics, evaluations, wallSeconds: 12, rolloutStepsForgotten: 0 };
  it('sums the run up', () => {
    expect(JSON.parse(text('train_results.json'))).toMatchObject({
      train_runtime: 12,
      train_samples: 48,
      train_samples_per_second: 4,
      train_steps: 3,
      train_steps_per_second: 0.25,
      train_loss: -0.125,
      num_tokens: 300,
      model: 'starter',
      final: { step: 3, reward: 1.25, rewards: { accuracy: 1 }, correct: 0.5 },
      eval_before: { step: 0, accuracy: 10, format_score: 75, num_correct: 2, num_samples: 20 },
      eval_after: { step: 3, accuracy: 85, num_correct: 17 },
    });
  });

  it('has nulls for a run of nothing', () => {
    const nothing = { ...run, metrics: [], evaluations: [evaluation(0, 0.1)], wallSeconds: 0 };
    expect(trainResults(nothing)).toMatchObject({
      train_samples: 0,
      train_samples_per_second: null,
      train_loss: null,
      num_tokens: null,
      eval_before: { accuracy: 10 },
      eval_after: null,
    });
    expect(JSON.stringify(trainResults(nothing))).not.toContain('NaN');
  });

  it('counts the completions of a log of earlier versions by their length', () => {
    const before = stepMetricsWith({ completions: null, completionTokens: 320, meanLength: 40 });
    expect(trainResults({ ...run, metrics: [before] }).train_samples).toBe(8);
  });
});

/** An untrained model earns −1 everywhere; a moving baseline makes that a signal. */
const CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  loss: 'reinforce',
  baseline: 'moving',
  numSteps: 5,
  saveSteps: 2,
  evalEvery: 0,
  evalSamples: 3,
  numGenerators: 1,
  problemsPerStep: 2,
  rolloutsPerProblem: 3,
  maxTokens: 8,
  seed: 5,
};

let model: LoadedModel;
let session: Session;
let files: Map<string, Uint8Array>;

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  model = await tinyStarter(starterInNode());
  session = await Session.open(CONFIG, freshStart(model), LOCAL_ENVIRONMENT);
  await new RunDriver(new ShownRun(), new RunMachine()).run(session, CONFIG, Number.POSITIVE_INFINITY, () =>
    Promise.resolve(),
  );
  files = await contents(await runFiles(await session.parts(), session.log));
  session.dispose();
});

const lines = (name: string): Record<string, unknown>[] =>
  new TextDecoder()
    .decode(files.get(name))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the run directory of a run', () => {
  it('has a line for each completion, with the rewards that the metrics are means of', () => {
    const rollouts = lines('rollouts.jsonl');
    expect(rollouts).toHaveLength(5 * 2 * 3);
    const metrics = readMetricsLog(new TextDecoder().decode(files.get('metrics.jsonl')));
    expect(metrics).toEqual(session.metrics);
    for (const { step, reward, completionTokens } of metrics) {
      const ofStep = rollouts.filter((line) => line['step'] === step);
      const mean = ofStep.reduce((sum, line) => sum + Number(line['reward']), 0) / ofStep.length;
      expect(mean).toBeCloseTo(reward, 12);
      const tokens = ofStep.reduce((sum, line) => sum + Number(line['completion_tokens']), 0);
      expect(tokens).toBe(completionTokens);
    }
  });

  it('has the evaluations before and after', () => {
    expect([...files.keys()].filter((name) => name.startsWith('eval_results/'))).toEqual([
      'eval_results/eval_step_0.json',
      'eval_results/eval_step_5.json',
    ]);
    expect(lines('metrics.jsonl').filter((line) => 'eval/step' in line)).toHaveLength(2);
  });

  it('has checkpoints where they were asked for, and the model at the end; each can be gone on with', async () => {
    const folders = new Set(
      [...files.keys()].flatMap((name) => /^(checkpoint-\d+|final_model)\//.exec(name)?.[1] ?? []),
    );
    expect([...folders].toSorted()).toEqual(['checkpoint-2', 'checkpoint-4', 'final_model']);
    const read = async (folder: string) =>
      readZippedCheckpoint(
        await zipBytes(opened(new Map([...files].filter(([name]) => name.startsWith(`${folder}/`))))),
        folder,
      );
    const early = await read('checkpoint-2');
    expect(early.trainerState?.step).toBe(2);
    expect(early.metrics).toEqual(session.metrics.slice(0, 2));
    const last = await read('final_model');
    expect(last.trainerState?.step).toBe(5);
    expect(await widened(last.model.weights)).not.toEqual(await widened(early.model.weights));
  });
});

it('says of how many steps it has no rollouts: those from before the run was loaded', async () => {
  const forgotten = (from: Map<string, Uint8Array>): unknown =>
    (JSON.parse(new TextDecoder().decode(from.get('train_results.json'))) as Record<string, unknown>)[
      'rollout_steps_forgotten'
    ];
  expect(forgotten(files)).toBe(0);
  const checkpoint = new Map([...files].filter(([name]) => name.startsWith('checkpoint-2/')));
  const parts = await readZippedCheckpoint(await zipBytes(opened(checkpoint)), 'checkpoint-2');
  expect(forgotten(await contents(await runFiles(parts, new RunLog())))).toBe(2);
});

it('is refused where no run has begun', async () => {
  const parts = { ...freshStart(model), runConfig: null };
  await expect(runFiles(parts, new RunLog())).rejects.toThrow('at least 1 step');
});
