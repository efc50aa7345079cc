import { zipSync } from 'fflate';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultConfig } from '../src/config/presets.ts';
import type { EvalResult } from '../src/rl/loop/evaluate.ts';
import { readMetricsLog } from '../src/run/records/metricsLog.ts';
import { stepMetricsWith } from '../src/testing/stepMetrics.ts';
import { modelFolder, RunFolder, writeUnzipped } from './runDirectory.ts';

let scratch = '';
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rl-playground-run-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const config = { ...defaultConfig('reverse_digits', 'default'), warmStartSteps: 3 };
/** Path of a zip of these files. */
function zipOf(files: Record<string, Uint8Array>): string {
  const path = join(scratch, 'given.zip');
  writeFileSync(path, zipSync(files));
  return path;
}

const checkpoint = (): string =>
  zipOf({ 'config.json': new Uint8Array([1]), 'model.safetensors': new Uint8Array([2]) });
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
const names = (...path: string[]): string[] => readdirSync(join(folder(), ...path)).sort();

test('is there from the first moment, with the settings of the run', () => {
  const run = new RunFolder(folder(), config);
  expect(run).toBeInstanceOf(RunFolder);
  expect(names()).toEqual(['config.json', 'metrics.jsonl', 'rollouts.jsonl']);
  expect(JSON.parse(text('config.json'))).toEqual(config);
});

test('grows with the run', async () => {
  const run = new RunFolder(folder(), config);
  run.sft([2.5], [40]);
  run.sft([2, 1.5], [50, 60]);
  const [first, second] = [stepMetricsWith({ step: 1, reward: 0.5 }), stepMetricsWith({ step: 2 })];
  run.log([], [evaluation(0, 0.25)]);
  run.log([first], []);
  run.rollouts('{"step":1}\n');
  expect(readMetricsLog(text('metrics.jsonl'))).toEqual([first]);
  run.log([second], [evaluation(2, 0.5)]);
  run.rollouts('{"step":2}\n');
  await run.checkpoint(2, checkpoint());
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
  expect(names('checkpoint-2')).toEqual(['config.json', 'model.safetensors']);
  expect(existsSync(join(folder(), 'train_results.json'))).toBe(false);

  const run2 = { modelName: 'starter', metrics: [first, second], evaluations: [evaluation(2, 0.5)] };
  await run.finish({ ...run2, wallSeconds: 4, rolloutStepsForgotten: 0 }, checkpoint());
  expect(JSON.parse(text('train_results.json'))).toMatchObject({ train_steps: 2, train_runtime: 4 });
  expect(names('final_model')).toEqual(['config.json', 'model.safetensors']);
});

test('has its model in final_model; any other folder is a model’s own', async () => {
  await writeUnzipped(join(folder(), 'final_model'), checkpoint());
  expect(modelFolder(folder())).toBe(join(folder(), 'final_model'));
  expect(modelFolder(join(folder(), 'final_model'))).toBe(join(folder(), 'final_model'));
  expect(modelFolder(join(scratch, 'nowhere'))).toBe(join(scratch, 'nowhere'));
});

test('refuses a folder that holds a run, and leaves it as it is', () => {
  expect(new RunFolder(folder(), config)).toBeInstanceOf(RunFolder);
  const run = new RunFolder(folder(), config);
  run.rollouts('{"step":1}\n');
  expect(() => new RunFolder(folder(), config)).toThrow(/holds a run already \(rollouts\.jsonl\)/);
  expect(text('rollouts.jsonl')).toBe('{"step":1}\n');
});

test('refuses a file in place of a folder', () => {
  writeFileSync(join(scratch, 'taken'), 'x');
  expect(() => new RunFolder(join(scratch, 'taken'), config)).toThrow(/taken is a file, and a run directory/);
});

test('writes every file of a zip into the folder itself', async () => {
  const nested = zipOf({
    'config.json': new TextEncoder().encode('{"seed":0}'),
    'eval_results/eval_step_0.json': new Uint8Array([123, 125]),
  });
  expect(await writeUnzipped(folder(), nested)).toEqual(['config.json', 'eval_results/eval_step_0.json']);
  expect(text('config.json')).toBe('{"seed":0}');
  expect(text('eval_results', 'eval_step_0.json')).toBe('{}');
});

test('refuses a file that would land outside, and writes nothing', async () => {
  const hostile = zipOf({ 'a.json': new Uint8Array([1]), '../outside.json': new Uint8Array([2]) });
  await expect(writeUnzipped(join(scratch, 'run'), hostile)).rejects.toThrow('../outside.json');
  expect(readdirSync(scratch)).toEqual(['given.zip']);
});
