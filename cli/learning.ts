/** `npm run learning`: the page's default runs against their goals. Exit codes: 0 reached, 1 one fell short or failed, 2 bad arguments. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import { z } from 'zod';
import { defaultConfig } from '../src/config/presets.ts';
import { TASKS } from '../src/tasks/index.ts';
import { shortfalls, surelyRisen } from './learningGoals.ts';
import { command, seedRange, simpleProgram, taskList } from './program.ts';
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

interface Options {
  readonly seeds: readonly number[];
  readonly tasks: readonly string[];
  readonly backend?: string;
  readonly json?: string;
}

/** Tasks by name; `all` is every one that a bundled model learns. */
function learnable(text: string): readonly string[] {
  return text === 'all'
    ? TASKS.filter(({ starter }) => starter?.learns).map(({ name }) => name)
    : taskList(text);
}

const line = () =>
  command(
    'npm run learning --',
    'Trains with the page’s default settings, each run in a fresh headless browser, and holds what they reached against what they must (cli/learningGoals.ts). Ends with 1 where one falls short.',
    '--tasks sum_digits --seeds 0-2 --backend wasm',
  )
    .addOption(
      new Option('--seeds <range>', 'one seed, or a range')
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
    .option('--json <file>', 'write the results as JSON');

async function train(
  task: string,
  seed: number,
  folder: string,
  backend: string | undefined,
): Promise<Result> {
  const file = join(folder, `${task}-${seed}.json`);
  const { numSteps } = defaultConfig(task);
  const options = ['--task', task, '--seed', seed, '--num-steps', numSteps];
  options.push('--eval-samples', EVAL_SAMPLES, '--json', file);
  if (backend !== undefined) options.push('--backend', backend);
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

export default simpleProgram<Options>(line, async ({ tasks, seeds, backend, json }) => {
  const folder = mkdtempSync(join(tmpdir(), 'rl-playground-'));
  const results: Result[] = [];
  try {
    for (const task of tasks) {
      for (const seed of seeds) {
        const result = await train(task, seed, folder, backend);
        results.push(result);
        console.log(row(result));
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
  if (json !== undefined) writeFileSync(json, JSON.stringify(results, null, 2));
  return results.some((result) => shortfalls(result).length > 0) ? 1 : 0;
});
