/** `npm run experiment`: runs of reinforcement learning under Node, for trying settings. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { Option } from 'commander';
import type { RunConfig } from '../src/config/schema.ts';
import type { LoadedModel } from '../src/hub/types.ts';
import { gainsOf } from '../src/rl/diagnosis/gains.ts';
import { BUNDLED_MODELS, modelProblem } from '../src/run/models/namedModels.ts';
import { loadModelNamed } from '../src/run/models/modelsInNode.ts';
import { isScratchModel, makeScratchModel } from '../src/run/models/scratchModels.ts';
import { EVALUATION_HEADS, evaluationCells } from './evaluationText.ts';
import { shortfalls, surelyRisen } from './learningGoals.ts';
import { addDataOptions, checkDataWords, readDataWords, taskWord, type DataWords } from './dataWords.ts';
import { runInNode } from './nodeRun.ts';
import { settingsOf } from './settingWords.ts';
import { startBackendInNode } from '../src/backend/startInNode.ts';
import { hubOptions, hubUrlOption, MODEL_NAMES, type HubWords } from './hubOptions.ts';
import { BadInput, command, seedRange, simpleProgram, wholeNumber } from './program.ts';

interface Options extends HubWords, DataWords {
  readonly task: readonly string[];
  readonly seeds: readonly number[];
  readonly model?: string;
  readonly every: number;
}

const line = () => addDataOptions(words());

const words = () =>
  command(
    'npm run experiment --',
    'Trains under Node (wasm, one thread, one run after the other) with the page’s own loop, without a browser in the way, and prints a table row a seed, held against the task’s goal (cli/learningGoals.ts). Results equal the page’s on wasm.',
    '--task sum_digits,chain_sum --seeds 0-2 learningRate=5e-4',
  )
    .argument('[setting=value...]', 'settings by their names in the code; npm run train -- --help lists them')
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
    .option('--every <number>', 'steps between two lines of metrics', wholeNumber(1), 10);

/** The one that is given, else the model that the settings name. */
function modelFor(config: RunConfig, { model, ...words }: Options): Promise<LoadedModel> {
  const name = model ?? config.model;
  return isScratchModel(name)
    ? makeScratchModel({ ...config, model: name })
    : loadModelNamed(name, hubOptions(words));
}

/** A bundled model that can't read what the task asks is refused before it is loaded. */
function checkModel(config: RunConfig): void {
  const problem = BUNDLED_MODELS.includes(config.model) ? modelProblem(config) : null;
  if (problem !== null) throw new BadInput(`${problem.title}. ${problem.text}`);
}

async function run(config: RunConfig, options: Options): Promise<string> {
  const { before, after, collapse, warmStartSeconds, wallSeconds } = await runInNode(
    config,
    await modelFor(config, options),
    options.every,
  );
  const warm =
    config.warmStartSteps > 0 ? `${config.warmStartSteps} steps, ${warmStartSeconds.toFixed(0)} s` : 'none';
  const cells = [
    config.task,
    config.seed,
    config.numSteps,
    ...evaluationCells(before, after),
    gainsOf(before, after).verdict ?? '–',
    surelyRisen(before, after).toFixed(3),
    warm,
    `${wallSeconds.toFixed(0)} s`,
    shortfalls({ task: config.task, evalBefore: before, evalAfter: after, collapse, wallSeconds }).join(
      ', ',
    ) || 'reached',
  ];
  return `| ${cells.join(' | ')} |`;
}

const HEADS = [
  'task',
  'seed',
  'steps',
  ...EVALUATION_HEADS,
  'learning',
  'greedy rise, 95 % at least',
  'warm start',
  'wall',
  'goals',
];

export default simpleProgram<Options>(line, async (options, words) => {
  const configs = options.task.flatMap((task) => options.seeds.map((seed) => settingsOf(task, seed, words)));
  const [first] = configs;
  if (options.task.length > 1 && options.data.length > 0)
    throw new BadInput('--data gives rows to one task; name one with --task.');
  for (const config of configs) checkDataWords(options, config);
  for (const config of configs) checkModel({ ...config, model: options.model ?? config.model });
  if (first) await readDataWords(options, first, options);
  await startBackendInNode();
  const rows: string[] = [];
  for (const config of configs) {
    rows.push(await run(config, options));
    console.log(rows.at(-1));
  }
  console.log([`| ${HEADS.join(' | ')} |`, `|${HEADS.map(() => '---').join('|')}|`, ...rows].join('\n'));
});
