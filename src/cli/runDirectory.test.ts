import { zipSync } from 'fflate';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jsonBytes } from '@rl-playground/base/json';
import { defaultConfig } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import { trainerStateJson } from '@rl-playground/run/checkpoint';
import { readMetricsLog } from '@rl-playground/run/records';
import { stepMetricsWith } from '@rl-playground/run/testing/stepMetrics';
import { latestCheckpoint } from './checkpointFolders.ts';
import { WriteError } from '@rl-playground/run/disk';
import { beginRun, modelFolder, type RunFolder } from './runDirectory.ts';

let scratch = '';
/** Runs that have not let their folders go. */
const open: RunFolder[] = [];
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rl-playground-run-'));
});
afterEach(() => {
  for (const run of open.splice(0)) run.release();
  rmSync(scratch, { recursive: true, force: true });
});

const config = { ...defaultConfig('reverse_digits', 'default'), warmStartSteps: 3, saveSteps: 2 };

function begin(path = folder()): RunFolder {
  const run = beginRun(path, config);
  open.push(run);
  return run;
}

/** `trainer_state.json` after the warm-up and some steps, or inside it. */
const stateAt = (step: number, warmed = config.warmStartSteps): Uint8Array =>
  jsonBytes(
    trainerStateJson(
      {
        step,
        policyVersion: step,
        baseline: null,
        position: { next: 0, again: [] },
        totalTokens: 0,
        rolloutErrors: 0,
        groupsSkipped: 0,
        curriculum: null,
        sftLosses: Array.from({ length: warmed }, () => 1),
        seed: 0,
        wallSeconds: 0,
        settingsSince: 0,
        gemmPlans: null,
      },
      'starter',
      8,
    ),
  );

let zips = 0;
/** Path of a zip of these files, or of a checkpoint of a step. */
function zipOf(files: Record<string, Uint8Array>): string {
  const path = join(scratch, `given-${++zips}.zip`);
  writeFileSync(path, zipSync(files));
  return path;
}
const checkpoint = (step = 0, warmed?: number): string =>
  zipOf({ 'model.safetensors': new Uint8Array([step, 2]), 'trainer_state.json': stateAt(step, warmed) });

const evaluation = (step: number, accuracy: number): EvalResult => ({
  step,
  accuracy,
  format: 1,
  n: 4,
  tasks: [],
  temperature: 1,
  seconds: 1,
  samples: [],
});
const folder = (): string => join(scratch, 'new', 'run');
const text = (...path: string[]): string => readFileSync(join(folder(), ...path), 'utf8');
const names = (...path: string[]): string[] =>
  readdirSync(join(folder(), ...path))
    .filter((name) => name !== 'run.lock')
    .sort();

test('is there from the first moment, with the settings of the run', () => {
  begin();
  expect(names()).toEqual(['config.json', 'metrics.jsonl', 'rollouts.jsonl']);
  expect(JSON.parse(text('config.json'))).toEqual(config);
});

test('grows with the run', async () => {
  const run = begin();
  run.sft([2.5], [40]);
  run.sft([2, 1.5], [50, 60]);
  const [first, second] = [stepMetricsWith({ step: 1, reward: 0.5 }), stepMetricsWith({ step: 2 })];
  run.log([], [evaluation(0, 0.25)]);
  run.log([first], []);
  run.rollouts('{"step":1}\n');
  expect(readMetricsLog(text('metrics.jsonl'))).toEqual([first]);
  run.log([second], [evaluation(2, 0.5)]);
  run.rollouts('{"step":2}\n');
  await run.checkpoint(2, checkpoint(2));
  expect(readMetricsLog(text('metrics.jsonl'))).toEqual([first, second]);
  const lines = text('metrics.jsonl').trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { step: number }).step)).toEqual([-2, -1, 0, 0, 1, 2, 2]);
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ 'sft/step': 2, 'sft/loss': 2, 'sft/tokens': 50 });
  expect(text('rollouts.jsonl')).toBe('{"step":1}\n{"step":2}\n');
  expect(names('eval_results')).toEqual(['eval_step_0.json', 'eval_step_2.json']);
  expect(JSON.parse(text('eval_results', 'eval_step_2.json'))).toMatchObject({
    accuracy: 50,
    num_samples: 4,
  });
  expect(names('checkpoint-2')).toEqual(['commit.json', 'model.safetensors', 'trainer_state.json']);
  expect(existsSync(join(folder(), 'train_results.json'))).toBe(false);

  const run2 = { modelName: 'starter', metrics: [first, second], evaluations: [evaluation(2, 0.5)] };
  await run.finish({ ...run2, wallSeconds: 4, rolloutStepsForgotten: 0 }, checkpoint(2));
  expect(JSON.parse(text('train_results.json'))).toMatchObject({ train_steps: 2, train_runtime: 4 });
  expect(names('final_model')).toEqual(['commit.json', 'model.safetensors', 'trainer_state.json']);
  expect(modelFolder(folder())).toBe(join(folder(), 'final_model'));
  expect(modelFolder(join(folder(), 'final_model'))).toBe(join(folder(), 'final_model'));
});

test('keeps the last two checkpoints that nobody asked for, and all others', async () => {
  const run = begin();
  await run.timedCheckpoint(checkpoint(0, 1));
  expect(names('checkpoint--2')).toContain('commit.json');
  for (const step of [1, 2, 3, 4, 5]) {
    if (step % 2 === 0) await run.checkpoint(step, checkpoint(step));
    else await run.timedCheckpoint(checkpoint(step));
  }
  const kept = names().filter((name) => name.startsWith('checkpoint'));
  expect(kept).toEqual(['checkpoint-2', 'checkpoint-3', 'checkpoint-4', 'checkpoint-5']);
});

test('a checkpoint with a flipped bit, a missing file or no commit record is passed over', async () => {
  const run = begin();
  for (const step of [2, 4, 6, 8]) await run.checkpoint(step, checkpoint(step));
  const at = (step: number, name: string): string => join(folder(), `checkpoint-${step}`, name);
  const said: string[] = [];
  const latest = async (): Promise<string | undefined> =>
    (await latestCheckpoint(folder(), config.warmStartSteps, (line) => said.push(line)))?.name;
  expect(await latest()).toBe('checkpoint-8');
  rmSync(at(8, 'commit.json'));
  expect([await latest(), said]).toEqual(['checkpoint-6', []]);
  writeFileSync(at(6, 'model.safetensors'), new Uint8Array([6, 3]));
  expect(await latest()).toBe('checkpoint-4');
  rmSync(at(4, 'model.safetensors'));
  expect(await latest()).toBe('checkpoint-2');
  appendFileSync(at(2, 'model.safetensors'), 'x');
  expect(await latest()).toBeUndefined();
  expect(said.join('\n')).toMatch(
    /checkpoint-6 .*SHA-256[^]*checkpoint-4 .*ENOENT[^]*checkpoint-2 .*3 bytes, 2 were/,
  );
});

test('refuses a folder that holds a run, and leaves it as it is', () => {
  begin().release();
  const run = begin();
  run.rollouts('{"step":1}\n');
  run.release();
  expect(() => begin()).toThrow(/holds a run already \(rollouts\.jsonl\).*--resume/);
  expect(text('rollouts.jsonl')).toBe('{"step":1}\n');
});

test('refuses a folder that another run writes to', () => {
  const run = begin();
  expect(() => begin()).toThrow(`is in use by another run (process ${process.pid}, since 2`);
  run.release();
  expect(names()).not.toContain('run.lock');
  begin();
});

test('refuses a file in place of a folder', () => {
  writeFileSync(join(scratch, 'taken'), 'x');
  expect(() => begin(join(scratch, 'taken'))).toThrow(/taken is a file, and a run directory/);
});

test('refuses a checkpoint with a file that would land outside, and writes nothing', async () => {
  const hostile = zipOf({ 'a.json': new Uint8Array([1]), '../outside.json': new Uint8Array([2]) });
  const run = begin();
  const before = names();
  await expect(run.checkpoint(1, hostile)).rejects.toThrow('../outside.json');
  expect(names()).toEqual(before);
});

test('a full disk leaves whole lines, and no folder that is no checkpoint', async ({ skip }) => {
  const disk = join(scratch, 'disk');
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=120k', 'tmpfs', disk], { stdio: 'pipe' });
  } catch {
    skip('Mounting a small disk takes root.');
  }
  try {
    const run = begin(join(disk, 'run'));
    const line = `${JSON.stringify({ step: 1, completion: 'x'.repeat(2000) })}\n`;
    for (let i = 0; i < 20; i++) run.rollouts(line);
    const large = zipOf({
      'model.safetensors': new Uint8Array(100_000),
      'trainer_state.json': stateAt(1),
    });
    const failure = run.checkpoint(1, large);
    await expect(failure).rejects.toThrow(WriteError);
    await expect(failure).rejects.toThrow(
      /checkpoint-1\.tmp\/model\.safetensors could not be written: no space is left on the disk \(ENOSPC\)\.$/,
    );
    expect(readdirSync(join(disk, 'run')).filter((name) => name.includes('checkpoint'))).toEqual([]);
    const fill = (): void => {
      for (let i = 0; i < 60; i++) run.rollouts(line);
    };
    expect(fill).toThrow(/rollouts\.jsonl could not be written: no space/);
    const { size } = statSync(join(disk, 'run', 'rollouts.jsonl'));
    expect([size % line.length, size > 20 * line.length]).toEqual([0, true]);
  } finally {
    execFileSync('umount', [disk]);
  }
});
