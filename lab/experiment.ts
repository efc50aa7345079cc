/** `npm run lab -- experiment`: runs of reinforcement learning under Node, for trying settings. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { Option } from 'commander';
import { checked } from '@rl-playground/base/json';
import type { RunConfig } from '@rl-playground/run/settings';
import { addDataOptions, checkDataWords, taskWord, type DataWords } from '../src/cli/dataWords.ts';
import {
  allowServerOption,
  hubUrlOption,
  hubWords,
  MODEL_NAMES,
  type HubWords,
} from '../src/cli/hubOptions.ts';
import { tableOf, tableRow } from './markdown.ts';
import { RESULT_HEADS, resultCells, resultSchema, shortfalls } from './learningGoals.ts';
import { printLine } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, seedRange, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import { settingsOf } from '../src/cli/testing/settingWords.ts';
import { checkModel } from '../src/cli/sweepGrid.ts';
import { runInProcess, sideBySide } from '../src/cli/sweepProcess.ts';

interface Options extends HubWords, DataWords {
  readonly task: readonly string[];
  readonly seeds: readonly number[];
  readonly model?: string;
  readonly every: number;
  readonly jobs: number;
}

const line = () => addDataOptions(words());

const words = () =>
  command(
    'npm run lab -- experiment',
    'Trains under Node (wasm, one thread) with the page’s own loop, without a browser in the way, and prints a table row a seed, held against the task’s goal (lab/learningGoals.ts). Results equal the page’s on wasm.',
    '--task sum_digits,chain_sum --seeds 0-2 learningRate=5e-4',
  )
    .argument(
      '[setting=value...]',
      'settings by their names in the code; npx rl-playground train --help lists them',
    )
    .addOption(
      new Option('--task <names>', 'tasks, parted by commas')
        .argParser((text: string) => text.split(',').map(taskWord))
        .default(['sum_digits'], 'sum_digits'),
    )
    .addOption(
      new Option('--seeds <range>', 'one seed, or a range')
        .argParser(seedRange)
        .default(seedRange('0-4'), '0-4'),
    )
    .option('--model <name>', `${MODEL_NAMES} (by default the one that the settings name)`)
    .addOption(hubUrlOption())
    .addOption(allowServerOption())
    .option('--every <number>', 'steps between two lines of metrics', wholeNumber(1), 10)
    .option('--jobs <number>', 'runs at a time', wholeNumber(1, 256), 1);

async function run(config: RunConfig, options: Options): Promise<string> {
  const { model = null, every, data, dataColumns, grader, systemPrompt } = options;
  const { record, warmStartSeconds } = await runInProcess(
    {
      config,
      model,
      modelFile: null,
      folder: null,
      every,
      words: { ...hubWords(options), data, dataColumns, grader, systemPrompt },
    },
    { say: (text) => printLine(text), signal: new AbortController().signal },
  );
  const result = checked(resultSchema, record);
  const warm =
    config.warmStartSteps > 0 ? `${config.warmStartSteps} steps, ${warmStartSeconds.toFixed(0)} s` : 'none';
  return tableRow([
    config.task,
    config.seed,
    ...resultCells(result),
    warm,
    `${result.wallSeconds.toFixed(0)} s`,
    shortfalls(result).join(', ') || 'reached',
  ]);
}

const HEADS = ['task', 'seed', ...RESULT_HEADS, 'warm start', 'wall', 'goals'];

export default simpleProgram<Options>(line, async (options, words) => {
  const configs = options.task.flatMap((task) => options.seeds.map((seed) => settingsOf(task, seed, words)));
  if (options.task.length > 1 && options.data.length > 0)
    throw new BadInput('--data gives rows to one task; name one with --task.');
  for (const config of configs) checkDataWords(options, config);
  for (const config of configs) checkModel({ ...config, model: options.model ?? config.model });
  const rows = new Map<RunConfig, string>();
  await sideBySide(configs, options.jobs, async (config) => {
    const row = await run(config, options);
    rows.set(config, row);
    printLine(row);
  });
  printLine(
    tableOf(
      HEADS,
      configs.map((config) => rows.get(config) ?? ''),
    ),
  );
});
