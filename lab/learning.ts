/** `npm run lab -- learning`: the page's default runs against their goals. Exit codes: 0 reached, 1 one fell short or failed, 2 bad arguments. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import { defaultConfig } from '@rl-playground/run/settings';
import { TASKS } from '@rl-playground/tasks/parts';
import { tableOf, tableRow } from './markdown.ts';
import { RESULT_HEADS, resultCells, resultSchema, shortfalls, type Result } from './learningGoals.ts';
import { printLine } from '@rl-playground/base/print';
import { command, seedRange, simpleProgram, taskList, wholeNumber } from '../src/cli/program.ts';
import { sideBySide } from '../src/cli/sweepProcess.ts';
import { repository } from '../src/cli/tools.ts';

/** Held-out problems of each evaluation. */
const EVAL_SAMPLES = 300;

/** A run that was made. */
export interface Run {
  readonly task: string;
  readonly seed: number;
  readonly exitCode: number | null;
  /** The record of `train --json`; null if it wrote none. */
  readonly record: unknown;
}

interface Options {
  readonly seeds: readonly number[];
  readonly tasks: readonly string[];
  readonly backend?: string;
  readonly jobs: number;
}

/** Tasks by name; `all` is every one that a bundled model learns. */
function learnable(text: string): readonly string[] {
  return text === 'all'
    ? TASKS.filter(({ starter }) => starter?.learns).map(({ name }) => name)
    : taskList(text);
}

const line = () =>
  command(
    'npm run lab -- learning',
    'Trains with the page’s default settings, each run in a fresh headless browser, and holds what they reached against what they must (lab/learningGoals.ts). Ends with 1 where one falls short.',
    '--tasks sum_digits --seeds 0-2,17 --backend wasm',
  )
    .addOption(
      new Option('--seeds <range>', 'seeds and ranges of seeds, parted by commas')
        .argParser(seedRange)
        .default(seedRange('0-4'), '0-4'),
    )
    .addOption(
      new Option('--tasks <names>', 'tasks, parted by commas, or all that a bundled model learns: all')
        .argParser(learnable)
        .default(['reverse_digits', 'sum_digits'], 'reverse_digits,sum_digits'),
    )
    .addOption(
      new Option('--backend <name>', 'where to compute (GPU if there is one)').choices(['webgpu', 'wasm']),
    )
    .option('--jobs <number>', 'runs at a time', wholeNumber(1, 256), 1);

async function train(task: string, seed: number, folder: string, backend: string | undefined): Promise<Run> {
  const file = join(folder, `${task}-${seed}.json`);
  const { numSteps } = defaultConfig(task);
  const options = ['--task', task, '--seed', seed, '--num-steps', numSteps];
  options.push('--eval-samples', EVAL_SAMPLES, '--json', file);
  if (backend !== undefined) options.push('--backend', backend);
  const child = spawn(process.execPath, ['src/cli/run.mjs', 'train', ...options.map(String)], {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return { task, seed, exitCode, record: text === '' ? null : JSON.parse(text) };
}

/** The goals that it missed; empty if it reached all. */
export function missed({ exitCode, record }: Run): string[] {
  const { data } = resultSchema.safeParse(record);
  if (exitCode !== 0) return [`ended with exit code ${exitCode}`];
  return data ? shortfalls(data) : ['was not evaluated'];
}

const resultOf = ({ record }: Run): Result | undefined => resultSchema.safeParse(record).data;

export function row(run: Run): string {
  const result = resultOf(run);
  const cells = result && [
    ...resultCells(result),
    result.curve.at(-1)?.kl?.toFixed(3) ?? '–',
    `${result.wallSeconds.toFixed(0)} s`,
  ];
  const verdict = missed(run).join(', ') || 'reached';
  return tableRow([run.task, run.seed, ...(cells ?? HEADS.map(() => '–')), verdict]);
}

/** The heads of the columns between the seed and the goals. */
const HEADS = [...RESULT_HEADS, 'KL', 'wall'];

export default simpleProgram<Options>(line, async ({ tasks, seeds, backend, jobs }) => {
  const folder = mkdtempSync(join(tmpdir(), 'rl-playground-'));
  let runs: Run[] = [];
  try {
    const asked = tasks.flatMap((task) => seeds.map((seed) => ({ task, seed })));
    const made = new Map<number, Run>();
    await sideBySide(asked.entries(), jobs, async ([i, { task, seed }]) => {
      const run = await train(task, seed, folder, backend);
      made.set(i, run);
      printLine(row(run));
    });
    runs = asked.flatMap((_, at) => made.get(at) ?? []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const adapter = runs.map(resultOf).find((result) => result)?.adapter ?? 'no run ended';
  printLine(`${adapter}; ${EVAL_SAMPLES} held-out problems, before → after\n`);
  printLine(tableOf(['task', 'seed', ...HEADS, 'goals'], runs.map(row)));
  return runs.some((run) => missed(run).length > 0) ? 1 : 0;
});
