/** `npm run experiment`: runs of reinforcement learning under Node, for trying settings. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { Option } from 'commander';
import { valueFromText } from '../src/config/describe.ts';
import { parseConfig, unknownKey } from '../src/config/check.ts';
import { defaultConfig } from '../src/config/presets.ts';
import { isFieldKey, type RunConfig } from '../src/config/schema.ts';
import { comparesWithinGroups } from '../src/config/settings/advantage.ts';
import type { LoadedModel } from '../src/hub/types.ts';
import { gainsOf } from '../src/rl/diagnosis/gains.ts';
import { findCollapse } from '../src/rl/diagnosis/collapse.ts';
import { createLocalPool } from '../src/rollout/localPool.ts';
import { BUNDLED_MODELS, modelProblem } from '../src/run/models/namedModels.ts';
import { loadModelNamed } from '../src/run/models/modelsInNode.ts';
import { isScratchModel, makeScratchModel } from '../src/run/models/scratchModels.ts';
import { freshStart, Session } from '../src/run/session.ts';
import { EVALUATION_HEADS, evaluationCells, evaluationLine } from './evaluationText.ts';
import { shortfalls, surelyRisen } from './learningGoals.ts';
import { addDataOptions, checkDataWords, readDataWords, taskWord, type DataWords } from './dataWords.ts';
import { startBackendInNode } from '../src/backend/startInNode.ts';
import { hubOptions, hubUrlOption, MODEL_NAMES, type HubWords } from './hubOptions.ts';
import { BadInput, command, seedRange, simpleProgram, wholeNumber } from './program.ts';

/** Updates of a warm start between two lines. */
const SFT_REPORT = 50;

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

/** @throws BadInput */
function settings(task: string, seed: number, words: readonly string[]): RunConfig {
  const changes = words.map((word) => {
    const at = word.indexOf('=');
    const [key, text] = [word.slice(0, Math.max(0, at)), word.slice(at + 1)];
    if (at < 1) throw new BadInput(`${word}: an argument is a setting; write it as setting=value.`);
    if (!isFieldKey(key)) throw new BadInput(unknownKey(key, text));
    return [key, valueFromText(key, text)];
  });
  const parsed = parseConfig({ ...defaultConfig(task), ...Object.fromEntries(changes), seed });
  if (!parsed.ok) throw new BadInput(parsed.errors.join('\n'));
  return parsed.config;
}

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

async function fineTune(session: Session): Promise<void> {
  while (session.inSft) {
    await session.sftStep();
    const made = session.sftLosses.length;
    if (made % SFT_REPORT === 0 || !session.inSft)
      console.log(
        `seed ${session.config.seed} warm start ${made}  loss ${session.sftLosses.at(-1)?.toFixed(4)}`,
      );
  }
}

async function run(config: RunConfig, options: Options): Promise<string> {
  const began = performance.now();
  const session = await Session.open(config, freshStart(await modelFor(config, options)), {
    createPool: (generator, { generatorPrecision }) => createLocalPool(generator, generatorPrecision),
    now: () => performance.now(),
  });
  await fineTune(session);
  const sftSeconds = ((performance.now() - began) / 1000).toFixed(0);
  await session.evaluate({});
  let collapse: string | null = null;
  while (session.step < config.numSteps) {
    await session.trainStep({});
    const metrics = session.metrics.at(-1);
    collapse ??= findCollapse(session.metrics, comparesWithinGroups(config))?.title ?? null;
    if (metrics && session.step % options.every === 0) {
      const {
        reward,
        accuracy,
        format,
        kl,
        entropy,
        gradNorm,
        meanLength,
        policyAgeMean: age,
        seconds,
      } = metrics;
      const numbers = { reward, accuracy, format, kl, entropy, gradNorm, meanLength, age, seconds };
      const text = Object.entries(numbers).map(([key, value]) => `${key} ${value?.toFixed(3) ?? 'none'}`);
      console.log(`seed ${config.seed} step ${session.step}  ${text.join('  ')}`);
    }
    if (config.evalEvery > 0 && session.step % config.evalEvery === 0 && session.step < config.numSteps) {
      await session.evaluate({ passAtK: false });
      const { evaluation } = session;
      if (evaluation) console.log(`seed ${config.seed} ${evaluationLine(evaluation)}`);
    }
  }
  await session.evaluate({});
  const [before, after] = [session.evaluations[0], session.evaluations.at(-1)];
  session.dispose();
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const warm = config.warmStartSteps > 0 ? `${config.warmStartSteps} steps, ${sftSeconds} s` : 'none';
  if (!before?.greedy || !after?.greedy) throw new Error('The run was not evaluated.');
  const measured = {
    evalBefore: { ...before, greedy: before.greedy },
    evalAfter: { ...after, greedy: after.greedy },
  };
  const outcome = {
    task: config.task,
    ...measured,
    collapse,
    wallSeconds: (performance.now() - began) / 1000,
  };
  const cells = [
    config.task,
    config.seed,
    config.numSteps,
    ...evaluationCells(before, after),
    gainsOf(before, after).verdict ?? '–',
    surelyRisen(measured.evalBefore, measured.evalAfter).toFixed(3),
    warm,
    `${seconds} s`,
    shortfalls(outcome).join(', ') || 'reached',
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
  const configs = options.task.flatMap((task) => options.seeds.map((seed) => settings(task, seed, words)));
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
