/**
 * `npm run learning [-- --seeds 0-4 --tasks reverse_digits,sum_digits --backend wasm --json FILE]`: the page's default runs,
 * each in a fresh headless browser, and a table of what they reached against what they must (cli/learningGoals.ts). `--tasks all`
 * takes every task that a bundled model learns. Exit code 1 if one falls short.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { defaultConfig } from '../src/config/presets.ts';
import { taskByName, TASKS } from '../src/tasks/index.ts';
import { shortfalls, surelyRisen } from './learningGoals.ts';
import { repository } from './tools.ts';

/** Held-out problems of each evaluation, sampled at temperature 1. */
const EVAL_SAMPLES = 300;

const evaluation = z.object({
  accuracy: z.number(),
  format: z.number(),
  n: z.number(),
  temperature: z.number(),
});
const resultSchema = z.object({
  task: z.string(),
  adapter: z.string(),
  seed: z.number(),
  steps: z.number(),
  evalBefore: evaluation,
  evalAfter: evaluation,
  curve: z.array(z.object({ kl: z.number() })),
  wallSeconds: z.number(),
});
type Result = z.infer<typeof resultSchema>;

const { values: args } = parseArgs({
  options: {
    seeds: { type: 'string', default: '0-4' },
    tasks: { type: 'string', default: 'reverse_digits,sum_digits' },
    backend: { type: 'string' },
    json: { type: 'string' },
  },
});

/** `3` or `0-4`. */
function seedsOf(text: string): number[] {
  const [first = 0, last = first] = text.split('-').map(Number);
  if (!Number.isInteger(first) || !Number.isInteger(last) || last < first) {
    throw new Error(`--seeds is ${text}; it must be a whole number or a range such as 0-4.`);
  }
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function tasksOf(text: string): string[] {
  if (text === 'all') return TASKS.filter(({ starter }) => starter?.learns).map(({ name }) => name);
  return text.split(',').map((name) => taskByName(name).name);
}

async function train(task: string, seed: number, folder: string): Promise<Result> {
  const file = join(folder, `${task}-${seed}.json`);
  const { numSteps } = defaultConfig(task);
  const options = ['--task', task, '--seed', seed, '--num-steps', numSteps];
  options.push('--eval-samples', EVAL_SAMPLES, '--json', file);
  if (args.backend !== undefined) options.push('--backend', args.backend);
  const child = spawn(process.execPath, ['cli/run.mjs', 'train', ...options.map(String)], {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`The run of ${task} with seed ${seed} ended with exit code ${code}.`);
  return resultSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

function row(result: Result): string {
  const { task, seed, steps, evalBefore, evalAfter, curve, wallSeconds } = result;
  const arrow = (key: 'accuracy' | 'format'): string =>
    `${evalBefore[key].toFixed(3)} → ${evalAfter[key].toFixed(3)}`;
  const cells = [
    task,
    seed,
    steps,
    arrow('accuracy'),
    surelyRisen(evalBefore, evalAfter).toFixed(3),
    arrow('format'),
    curve.at(-1)?.kl.toFixed(3) ?? '',
    `${wallSeconds.toFixed(0)} s`,
  ];
  return `| ${[...cells, shortfalls(result).join(', ') || 'reached'].join(' | ')} |`;
}

const folder = mkdtempSync(join(tmpdir(), 'rl-playground-'));
const results: Result[] = [];
try {
  for (const task of tasksOf(args.tasks)) {
    for (const seed of seedsOf(args.seeds)) {
      results.push(await train(task, seed, folder));
      console.log(row(results.at(-1) as Result));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  [
    `${results[0]?.adapter}; ${EVAL_SAMPLES} held-out problems at temperature 1`,
    '',
    '| task | seed | steps | accuracy | rise, 95 % at least | format | KL | wall | goals |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...results.map(row),
  ].join('\n'),
);
if (args.json !== undefined) writeFileSync(args.json, JSON.stringify(results, null, 2));
if (results.some((result) => shortfalls(result).length > 0)) process.exitCode = 1;
