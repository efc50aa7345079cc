/** A run of a tiny model, and the run directory that the page makes of it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startBackend } from '../../backend/start.ts';
import { defaultConfig } from '../../config/presets.ts';
import type { RunConfig } from '../../config/schema.ts';
import type { LoadedModel } from '../../hub/types.ts';
import { createLocalPool } from '../../rollout/localPool.ts';
import { starterInNode } from '../../testing/starterFolder.ts';
import { tinyStarter } from '../../testing/tinyStarter.ts';
import { wasmPathInNode } from '../../testing/wasm.ts';
import { packArchive, unpackArchive } from '../checkpoint/archive.ts';
import { readCheckpoint } from '../checkpoint/checkpoint.ts';
import { RunDriver } from '../driver.ts';
import { readMetricsLog } from './metricsLog.ts';
import { writeRunArchive } from './runArchive.ts';
import { RunLog } from './runLog.ts';
import { freshStart, Session } from '../session.ts';
import { RunState } from '../state.ts';

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
  session = await Session.open(CONFIG, freshStart(model), {
    createPool: (generatorModel, { generatorPrecision }) =>
      createLocalPool(generatorModel, generatorPrecision),
    now: () => performance.now(),
  });
  await new RunDriver(new RunState()).run(session, CONFIG, Number.POSITIVE_INFINITY, () => Promise.resolve());
  files = await unpackArchive(await writeRunArchive(await session.parts(), session.log), 'The run');
  session.dispose();
}, 120_000);

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
      readCheckpoint(
        await packArchive(new Map([...files].filter(([name]) => name.startsWith(`${folder}/`)))),
        folder,
      );
    const early = await read('checkpoint-2');
    expect(early.trainerState?.step).toBe(2);
    expect(early.metrics).toEqual(session.metrics.slice(0, 2));
    const last = await read('final_model');
    expect(last.trainerState?.step).toBe(5);
    expect(last.model.weights).not.toEqual(early.model.weights);
  });
});

it('says of how many steps it has no rollouts: those from before the run was loaded', async () => {
  const forgotten = (from: Map<string, Uint8Array>): unknown =>
    (JSON.parse(new TextDecoder().decode(from.get('train_results.json'))) as Record<string, unknown>)[
      'rollout_steps_forgotten'
    ];
  expect(forgotten(files)).toBe(0);
  const checkpoint = new Map([...files].filter(([name]) => name.startsWith('checkpoint-2/')));
  const parts = await readCheckpoint(await packArchive(checkpoint), 'checkpoint-2');
  expect(forgotten(await unpackArchive(await writeRunArchive(parts, new RunLog()), 'The run'))).toBe(2);
});

it('is refused where no run has begun', async () => {
  const parts = { ...freshStart(model), runConfig: null };
  await expect(writeRunArchive(parts, new RunLog())).rejects.toThrow('at least 1 step');
});
