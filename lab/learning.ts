/** `npm run lab -- learning`: the page's default runs against their goals. Exit codes: 0 reached, 1 one fell short or failed, 2 bad arguments. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import { defaultConfig } from '@rl-playground/run/settings';
import { findTask, TASKS } from '@rl-playground/tasks/parts';
import { tableOf, tableRow } from './markdown.ts';
import { RESULT_HEADS, resultCells, resultSchema, shortfalls, type Result } from './learningGoals.ts';
import { messageOf } from '@rl-playground/base/errors';
import { printLine, printProblem } from '@rl-playground/base/print';
import { command, seedRange, simpleProgram, taskList, wholeNumber } from '../src/cli/program.ts';
import { RECORD_FILE, runInProcess, sideBySide } from '../src/cli/sweepProcess.ts';
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
  readonly node?: true;
  readonly jobs: number;
}

/** Tasks by name; `all` is every one with a first run, those whose working can be checked first. */
function tasksNamed(text: string): readonly string[] {
  if (text !== 'all') return taskList(text);
  const first = TASKS.filter(({ starter }) => starter !== null);
  return first.toSorted((a, b) => Number(!a.working) - Number(!b.working)).map(({ name }) => name);
}

const line = () =>
  command(
    'npm run lab -- learning',
    'Trains with the page’s default settings, each run in a fresh headless browser or under Node, and holds what they reached against what they must (lab/learningGoals.ts). Ends with 1 where one falls short that its task says is learned.',
    '--tasks all --seeds 0 --node',
  )
    .addOption(
      new Option('--seeds <range>', 'seeds and ranges of seeds, parted by commas')
        .argParser(seedRange)
        .default(seedRange('0-4'), '0-4'),
    )
    .addOption(
      new Option('--tasks <names>', 'tasks, parted by commas, or all that have a first run: all')
        .argParser(tasksNamed)
        .default(['reverse_digits', 'sum_digits'], 'reverse_digits,sum_digits'),
    )
    .addOption(
      new Option('--backend <name>', 'where to compute (GPU if there is one)').choices(['webgpu', 'wasm']),
    )
    .option('--node', 'under Node, on one thread, in place of a browser')
    .option('--jobs <number>', 'runs at a time', wholeNumber(1, 256), 1);

interface Asked {
  readonly task: string;
  readonly seed: number;
  readonly backend: string | undefined;
  /** The folder for the run's files. */
  readonly folder: string;
}

/** The exit code of `train --json FILE` in a browser. */
function inBrowser({ task, seed, backend }: Asked, file: string): Promise<number | null> {
  const { numSteps } = defaultConfig(task);
  const options = ['--task', task, '--seed', seed, '--num-steps', numSteps];
  options.push('--eval-samples', EVAL_SAMPLES, '--json', file);
  if (backend !== undefined) options.push('--backend', backend);
  const child = spawn(process.execPath, ['src/cli/run.mjs', 'train', ...options.map(String)], {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** The exit code of the same run in a process of Node's. It is evaluated before and after, and not on the way. */
async function underNode({ task, seed }: Asked, folder: string): Promise<number> {
  const config = { ...defaultConfig(task), seed, evalSamples: EVAL_SAMPLES, evalEvery: 0, numGenerators: 1 };
  const order = { config, modelFile: 'learning', folder, every: 50, words: { data: [] } };
  return runInProcess(order, { say: () => undefined, signal: new AbortController().signal }).then(
    () => 0,
    (error: unknown) => {
      printProblem(`${task}, seed ${seed}: ${messageOf(error)}`);
      return 1;
    },
  );
}

async function train(asked: Asked, node: boolean): Promise<Run> {
  const { task, seed } = asked;
  const path = join(asked.folder, `${task}-${seed}`);
  const file = node ? join(path, RECORD_FILE) : `${path}.json`;
  const exitCode = await (node ? underNode(asked, path) : inBrowser(asked, file));
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return { task, seed, exitCode, record: text === '' ? null : JSON.parse(text) };
}

/** The goals that it missed; empty if it reached all. */
export function missed({ exitCode, record }: Run): string[] {
  const { data } = resultSchema.safeParse(record);
  if (exitCode !== 0) return [`ended with exit code ${exitCode}`];
  return data ? shortfalls(data) : ['was not evaluated'];
}

/** False for a run whose task says that its bundled model does not learn it; it fails nothing. */
const isPromised = ({ task }: Run): boolean => findTask(task)?.starter?.learns !== false;

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

export default simpleProgram<Options>(line, async ({ tasks, seeds, backend, node = false, jobs }) => {
  const folder = mkdtempSync(join(tmpdir(), 'rl-playground-'));
  let runs: Run[] = [];
  try {
    const asked = tasks.flatMap((task) => seeds.map((seed) => ({ task, seed })));
    const made = new Map<number, Run>();
    await sideBySide(asked.entries(), jobs, async ([i, { task, seed }]) => {
      const run = await train({ task, seed, backend, folder }, node);
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
  return runs.some((run) => isPromised(run) && missed(run).length > 0) ? 1 : 0;
});
