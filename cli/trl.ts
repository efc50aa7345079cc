/** `npm run trl`: TRL's trainer beside ours, on the same problems with the same rewards. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Option } from 'commander';
import { z } from 'zod';
import type { RunConfig } from '../src/config/schema.ts';
import { type LoadedModel, LOSSES, reductionOf } from '@rl-playground/engine/parts';
import {
  heldOutProblems,
  taskAt,
  taskMix,
  trainingProblem,
  type MixProblem,
} from '../src/rl/loop/taskMix.ts';
import { rewardsOf } from '../src/rl/loop/scoring.ts';
import { BUNDLED_MODELS } from '../src/run/models/bundledModels.ts';
import { bundledFolder, loadModelNamed } from '../src/run/models/modelsInNode.ts';
import { hubOptions } from './hubOptions.ts';
import { percent } from './evaluationText.ts';
import { runInNode } from './nodeRun.ts';
import { printLine } from './print.ts';
import { BadInput, command, seedRange, simpleProgram, taskList } from './program.ts';
import { settingsOf } from './settingWords.ts';
import { startBackendInNode } from '@rl-playground/engine/parts/node';
import { repository } from './tools.ts';

const PROGRAM = join(repository, 'cli/trl_run.py');
/** The mean reward of so many steps is one point of a curve. */
const POINT = 10;

/** Of Python's lines, those that ask for scores, and the last. */
const scored = z.object({
  score: z.array(
    z.object({ split: z.enum(['train', 'eval']), index: z.number(), text: z.string(), ended: z.boolean() }),
  ),
});
const shares = z.object({ accuracy: z.number(), format: z.number() });
const evaluation = z.object({ sampled: shares, greedy: shares });
const ended = z.object({
  done: z.object({
    before: evaluation,
    after: evaluation,
    rewards: z.array(z.number()),
    versions: z.string(),
    seconds: z.number(),
  }),
});
const fromPython = z.union([scored, ended]);
type TrlRun = z.infer<typeof ended>['done'];

interface Options {
  readonly task: readonly string[];
  readonly seeds: readonly number[];
  readonly python: string;
}

const line = () =>
  command(
    'npm run trl --',
    'Runs TRL’s GRPOTrainer (PYTHON needs torch, transformers, trl and datasets) and our own loop under Node with the same model, training problems, held-out problems and rewards, and prints what both reached and the mean reward of every 10 steps. Only what is sampled differs.',
    '--task reverse_digits --seeds 0-2 --python /opt/venv/bin/python',
  )
    .argument('[setting=value...]', 'settings by their names in the code; npm run train -- --help lists them')
    .addOption(
      new Option('--task <names>', 'tasks, parted by commas')
        .argParser(taskList)
        .default(['reverse_digits'], 'reverse_digits'),
    )
    .addOption(
      new Option('--seeds <range>', 'one seed, or a range')
        .argParser(seedRange)
        .default(seedRange('0-2'), '0-2'),
    )
    .option('--python <path>', 'the interpreter', 'python3');

/** What this comparison has no counterpart for, by the value that it needs. */
const NEEDED: Partial<RunConfig> = {
  curriculum: 'off',
  schedule: 'sync',
  baseline: 'group',
  klBeta: 0,
  klPenaltyCoef: 0,
  ppoEpochs: 1,
  numSubsteps: 1,
  miniBatchSize: 0,
  gradientAccumulation: 1,
  loraRank: 0,
  warmStartSteps: 0,
  importanceCap: 0,
  importanceFloor: 0,
  clipMeaning: 'epsilon',
  clipDelta: 0,
  ratioLevel: 'token',
  rewardAggregation: 'sum_then_normalize',
  entropyCoef: 0,
  topEntropyQuantile: 1,
  offPolicyThreshold: 0,
  minP: 0,
  repetitionPenalty: 1,
  samplerNoise: 0,
  removeConstantGroups: false,
};

/** TRL's name for how tokens are averaged, where it has the same. */
const LOSS_TYPES = { token_mean: 'dapo', sequence_mean: 'grpo', max_length: 'dr_grpo' } as const;

/** The run as TRL's `GRPOConfig` says it. @throws BadInput where TRL can't be asked for the same. */
function trlSettings(config: RunConfig): Record<string, unknown> {
  for (const [key, needed] of Object.entries(NEEDED)) {
    const value = config[key as keyof RunConfig];
    if (value !== needed)
      throw new BadInput(
        `${key} is ${JSON.stringify(value)}, for which TRL is not asked here; say ${key}=${JSON.stringify(needed).replaceAll(`"`, ``)} to compare without it.`,
      );
  }
  const reduction = reductionOf(config.loss, config.lossReduction, config.clipMeaning);
  const lossType = Object.entries(LOSS_TYPES).find(([name]) => name === reduction)?.[1];
  if (lossType === undefined || LOSSES[config.loss].clips !== 'ratio')
    throw new BadInput(
      `The loss ${config.loss}, reduced by ${reduction}, is not compared with TRL here; choose loss=grpo and lossReduction=${Object.keys(LOSS_TYPES).join(' or ')}.`,
    );
  return {
    per_device_train_batch_size: config.problemsPerStep * config.rolloutsPerProblem,
    steps_per_generation: 1,
    num_generations: config.rolloutsPerProblem,
    max_completion_length: config.maxTokens,
    max_steps: config.numSteps,
    learning_rate: config.learningRate,
    lr_scheduler_type: config.lrSchedule,
    warmup_steps: config.warmupSteps,
    adam_beta1: config.adamBeta1,
    adam_beta2: config.adamBeta2,
    adam_epsilon: config.adamEps,
    weight_decay: config.weightDecay,
    // Ours takes 0 for no limit.
    max_grad_norm: config.clipNorm > 0 ? config.clipNorm : 1e9,
    beta: 0,
    temperature: config.temperature,
    top_p: config.topP,
    top_k: config.topK,
    epsilon: config.clipLow,
    epsilon_high: config.clipHigh,
    loss_type: lossType,
    scale_rewards: config.advantageScale,
    mask_truncated_completions: config.maskTruncated,
  };
}

/** Trains by TRL in a process of its own, whose answers are scored here. @throws Error with Python's last words */
async function runTrl(
  config: RunConfig,
  { promptStyle }: Pick<LoadedModel, 'promptStyle'>,
  python: string,
): Promise<TrlRun> {
  const settings = trlSettings(config);
  const tasks = taskMix(config);
  const training = Array.from({ length: config.numSteps * config.problemsPerStep }, (_, index) =>
    trainingProblem(tasks, null, config.seed, index),
  );
  const heldOut = heldOutProblems(tasks, config.evalSamples);
  const asked = ({ problem, taskIndex }: MixProblem, index: number) => ({
    index,
    messages: taskAt(tasks, taskIndex).task.messages(problem, promptStyle),
  });
  const child = spawn(python, [PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'] });
  let lastWords = '';
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (lastWords = (lastWords + text).slice(-2000)));
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(new Error(`${python} did not start: ${error.message}`)));
    child.once('close', (code) => reject(new Error(`${python} ended with ${code}: ${lastWords.trim()}`)));
  });
  const say = (message: unknown): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  const talk = async (): Promise<TrlRun> => {
    say({
      folder: bundledFolder(config.model),
      seed: config.seed,
      threads: 1,
      maxTokens: config.maxTokens,
      settings,
      problems: training.map(asked),
      heldOut: heldOut.map(asked),
    });
    for await (const text of createInterface({ input: child.stdout })) {
      const message = fromPython.parse(JSON.parse(text));
      if ('done' in message) return message.done;
      const items = message.score.map(({ split, index, text, ended }) => {
        const problem = (split === 'eval' ? heldOut : training)[index];
        if (problem === undefined)
          throw new Error(`TRL answered a problem ${split} ${index}, which there is none of.`);
        const stopReason = ended ? 'eos' : 'max_tokens';
        return { ...problem, completion: { text, tokens: [], stopReason } } as const;
      });
      const rewards = await rewardsOf(tasks, items, config.scoring);
      say(rewards.map(({ total, correct, format }) => [total, correct, format]));
    }
    return failed;
  };
  try {
    return await Promise.race([talk(), failed]);
  } finally {
    failed.catch(() => {});
    child.kill();
  }
}

/** Means of `POINT` values each. */
function curve(values: readonly number[]): string {
  const points = Array.from({ length: Math.ceil(values.length / POINT) }, (_, i) => {
    const part = values.slice(i * POINT, (i + 1) * POINT);
    return (part.reduce((sum, value) => sum + value, 0) / part.length).toFixed(2);
  });
  return points.join(' ');
}

const arrow = (before: number, after: number): string => `${percent(before)} → ${percent(after)}`;

export default simpleProgram<Options>(line, async ({ task, seeds, python }, words) => {
  const configs = task.flatMap((name) => seeds.map((seed) => settingsOf(name, seed, words)));
  for (const config of configs) {
    trlSettings(config);
    if (!BUNDLED_MODELS.includes(config.model))
      throw new BadInput(
        `The model ${config.model} has no folder that TRL can load; choose a bundled one with model=NAME.`,
      );
  }
  await startBackendInNode();
  const rows: string[] = [];
  const add = (...cells: (string | number)[]): void => {
    rows.push(`| ${cells.join(' | ')} |`);
    printLine(rows.at(-1));
  };
  for (const config of configs) {
    const model = await loadModelNamed(config.model, hubOptions({}));
    const { before, after, metrics, wallSeconds } = await runInNode(config, model, { every: Infinity });
    const name = [config.task, config.seed, config.numSteps] as const;
    const us = metrics.map(({ reward }) => reward);
    const greedy = arrow(before.greedy.accuracy, after.greedy.accuracy);
    add(
      'ours',
      ...name,
      arrow(before.accuracy, after.accuracy),
      greedy,
      `${wallSeconds.toFixed(0)} s`,
      curve(us),
    );
    const trl = await runTrl(config, model, python);
    if (rows.length === 1) printLine(trl.versions);
    const sampled = arrow(trl.before.sampled.accuracy, trl.after.sampled.accuracy);
    const trlGreedy = arrow(trl.before.greedy.accuracy, trl.after.greedy.accuracy);
    add('TRL', ...name, sampled, trlGreedy, `${trl.seconds.toFixed(0)} s`, curve(trl.rewards));
  }
  const heads = [
    '',
    'task',
    'seed',
    'steps',
    'sampled',
    'greedy',
    'seconds',
    `mean reward of every ${POINT} steps`,
  ];
  printLine([`| ${heads.join(' | ')} |`, `|${heads.map(() => '---').join('|')}|`, ...rows].join('\n'));
});
