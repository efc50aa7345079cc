/**
 * `npm run learning [-- --seeds 0-4 --tasks reverse_digits,sum_digits --backend wasm --json FILE]`: the page's default runs,
 * each in a fresh headless browser, and a table of what they reached against what they must. Exit code 1 if one falls short.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { defaultConfig } from '../src/config/presets.ts';
import { repository } from './tools.ts';

/** Held-out problems of each evaluation, sampled at temperature 1. */
const EVAL_SAMPLES = 200;

/** What the starter model must have left to learn, and what a default run must reach, in how many minutes on two cores. */
const GOALS = {
  reverse_digits: { before: 0.6, after: 0.9, minutes: 10 },
  sum_digits: { before: 0.7, after: 0.85, minutes: 22 },
} as const;
type Goal = keyof typeof GOALS;
const isGoal = (name: string): name is Goal => Object.hasOwn(GOALS, name);
const FORMAT = { before: 0.7, after: 0.95 };

const evaluation = z.object({
  accuracy: z.number(),
  format: z.number(),
  n: z.number(),
  temperature: z.number(),
});
const resultSchema = z.object({
  task: z.enum(['reverse_digits', 'sum_digits']),
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

function tasksOf(text: string): Goal[] {
  return text.split(',').map((name) => {
    if (isGoal(name)) return name;
    throw new Error(`--tasks names ${name}; there are goals for ${Object.keys(GOALS).join(' and ')}.`);
  });
}

async function train(task: Goal, seed: number, folder: string): Promise<Result> {
  const file = join(folder, `${task}-${seed}.json`);
  const { numSteps: steps } = defaultConfig(task);
  const options = [
    '--task',
    task,
    '--seed',
    seed,
    '--num-steps',
    steps,
    '--eval-samples',
    EVAL_SAMPLES,
    '--json',
    file,
  ];
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

/** What falls short, in words; empty where the run did all it must. */
function shortfalls({ task, evalBefore, evalAfter, wallSeconds }: Result): string[] {
  const goal = GOALS[task];
  const checks: [boolean, string][] = [
    [evalBefore.accuracy <= goal.before, `accuracy before above ${goal.before}`],
    [evalBefore.format <= FORMAT.before, `format before above ${FORMAT.before}`],
    [evalAfter.accuracy >= goal.after, `accuracy after below ${goal.after}`],
    [evalAfter.format >= FORMAT.after, `format after below ${FORMAT.after}`],
    [wallSeconds <= 60 * goal.minutes, `slower than ${goal.minutes} minutes`],
  ];
  return checks.filter(([reached]) => !reached).map(([, words]) => words);
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
    '| task | seed | steps | accuracy | format | KL | wall | goals |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...results.map(row),
  ].join('\n'),
);
if (args.json !== undefined) writeFileSync(args.json, JSON.stringify(results, null, 2));
if (results.some((result) => shortfalls(result).length > 0)) process.exitCode = 1;
