/** `npm run lab -- pretrain`: builds a starter model from nothing. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import {
  writeSafetensors,
  createRenderer,
  createTokenizer,
  type Tokenizer,
  parseModelConfig,
  initialWeights,
  parameterCount,
  packMicrobatches,
  weightsOfWhole,
  wholeSampling,
} from '@rl-playground/engine/parts';
import {
  type Engine,
  LanguageModel,
  ModelWeights,
  negativeLogLikelihood,
  Optimizer,
  trainStep,
  createLocalPool,
} from '@rl-playground/engine/parts/tensors';
import {
  evaluate,
  type EvaluationSettings,
  taskAt,
  type MixTask,
  learningRateAt,
} from '@rl-playground/run/loop';
import { demonstrationSequence } from '@rl-playground/run/sft';
import { taskByName, type TaskConfig } from '@rl-playground/tasks/parts';
import { drawsFor, pickWeighted } from '@rl-playground/base/random';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { printLine } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, LAST_SEED, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import {
  GENERATION_CONFIG,
  lossCurveSvg,
  starterCard,
  starterConfig,
  type LossPoint,
  type TaskResult,
} from './starters/files.ts';
import { RECIPES, type StarterRecipe } from './starters/recipes.ts';
import { buildStarterTokenizer } from './starters/tokenizer.ts';

/** The number of a recipe's updates that are made. */
const updatesOf = ({ steps, stopAfter = steps }: StarterRecipe): number => Math.min(steps, stopAfter);

const REPORT_EVERY = 50;
/** The updates between two looks at the model's abilities, and the held-out problems of each task then. */
const LOOK_EVERY = 50;
const LOOKED_AT = 40;
/** The factor on the share of a task that the model can do well enough: it is shown seldom, but never not at all, or it would be forgotten. */
const RESTING = 1 / 8;
/** The number of draws of each held-out problem. */
const DRAWS = 8;
/** The streams of weights, tasks and demonstrations, which separate them from each other and from every run's. */
const INITIAL_STREAM = 0x1417;
const CHOICE_STREAM = 0xc401;
const DEMONSTRATION_SEED = 1_000_003;

interface Options {
  readonly model: string;
  readonly seed: number;
  readonly out?: string;
  readonly steps?: number;
}

const line = () =>
  command(
    'npm run lab -- pretrain',
    'Builds a starter model from nothing: tokenizer, random weights, then supervised training on demonstrations that the tasks generate, by the project’s own trainer on wasm. The same seed gives the same bytes.',
    '--model starter-gym --out exported',
  )
    .addOption(
      new Option('--model <name>', 'starter to build')
        .choices(RECIPES.map(({ name }) => name))
        .default(RECIPES[0].name),
    )
    .option('--seed <number>', 'decides the weights and the demonstrations', wholeNumber(0, LAST_SEED), 0)
    .option('--out <folder>', 'folder to write (by default public/models and the model’s name)')
    .option('--steps <number>', 'updates (by default as many as the recipe says)', wholeNumber(1));

/** The plan of a build: a recipe, and everything that follows from it. */
function planOf({ model, seed, steps }: Options) {
  const named = RECIPES.find(({ name }) => name === model) ?? RECIPES[0];
  const recipe = steps === undefined ? named : { ...named, steps };
  if (recipe.shown.length === 0)
    throw new BadInput(
      `No task names ${recipe.name} as the model of its first run, so there is nothing to train it on.`,
    );
  const tokenizer = buildStarterTokenizer(recipe.vocabulary);
  const configJson = starterConfig(recipe, tokenizer.vocabSize);
  const demonstrated = recipe.shown.map(({ task: name, share, config }): MixTask => {
    const task = taskByName(name);
    return { task, share, config: { ...task.defaults, ...task.starter?.config, ...config } as TaskConfig };
  });
  /** Each task once, at the settings of its first run. */
  const tasks = [...new Set(demonstrated.map(({ task }) => task))].map((task): MixTask => ({
    task,
    share: 1,
    config: { ...task.defaults, ...task.starter?.config } as TaskConfig,
  }));
  return {
    recipe,
    seed,
    demonstrated,
    tasks,
    tokenizer,
    configJson,
    config: parseModelConfig(configJson),
  };
}
type Plan = ReturnType<typeof planOf>;

/** Trains to the end of the recipe and returns the loss curve. */
async function train(plan: Plan, model: LanguageModel, tokenizer: Tokenizer): Promise<LossPoint[]> {
  const { recipe, seed, demonstrated } = plan;
  const optimizer = new Optimizer(model.pool, recipe.adam);
  const curve: LossPoint[] = [];
  /** Tasks that the model can do well enough for now. */
  let resting: readonly string[] = [];
  let sum = 0;
  let began = performance.now();
  for (let step = 1; step <= updatesOf(recipe); step++) {
    const shares = demonstrated.map(({ task, share }) => share * (resting.includes(task.name) ? RESTING : 1));
    const sequences = Array.from({ length: recipe.batch }, (_, i) => {
      const index = (step - 1) * recipe.batch + i;
      const at = pickWeighted(drawsFor(seed, CHOICE_STREAM, index), shares);
      const { task, config } = taskAt(demonstrated, at);
      return demonstrationSequence(task, config, tokenizer, 'compact', DEMONSTRATION_SEED + seed, index);
    });
    const learningRate = learningRateAt(step, {
      peak: recipe.learningRate,
      kind: 'linear',
      warmupSteps: recipe.warmupSteps,
      totalSteps: recipe.steps,
    });
    const { loss } = await trainStep(
      packMicrobatches(sequences, weightsOfWhole(sequences, 'token_mean', 1), recipe.microBatchTokens),
      learningRate,
      {
        policy: model,
        optimizer,
        temperature: 1,
        loss: negativeLogLikelihood,
        breathe: () => Promise.resolve(),
      },
    );
    sum += loss;
    if (step % REPORT_EVERY === 0) {
      const secondsPerStep = (performance.now() - began) / 1000 / REPORT_EVERY;
      const minutesLeft = ((updatesOf(recipe) - step) * secondsPerStep) / 60;
      curve.push({ step, loss: sum / REPORT_EVERY });
      printLine(`step ${step}  loss ${(sum / REPORT_EVERY).toFixed(4)}  ${minutesLeft.toFixed(1)} min left`);
      sum = 0;
      began = performance.now();
    }
    if (recipe.enough !== null && step % LOOK_EVERY === 0) {
      const seen = await measure(plan, model, tokenizer, { temperature: 0, passAtK: 0, samples: LOOKED_AT });
      resting = seen.filter(({ greedy }) => greedy.accuracy >= (recipe.enough ?? 1)).map(({ task }) => task);
      printLine(seen.map(({ task, greedy }) => `${task} ${greedy.accuracy}`).join('  '));
    }
  }
  return curve;
}

async function measure(
  { config, recipe, seed, tasks }: Plan,
  model: LanguageModel,
  tokenizer: Tokenizer,
  settings: Pick<EvaluationSettings, 'temperature' | 'passAtK' | 'samples'>,
): Promise<TaskResult[]> {
  const pool = createLocalPool({
    config,
    stopTokenIds: [GENERATION_CONFIG.eos_token_id],
    positions: recipe.positions,
  });
  await pool.setWeights(0, await model.pool.pack());
  const renderer = createRenderer('auto', { tokenizer, stopTokenIds: [GENERATION_CONFIG.eos_token_id] });
  const engine: Pick<Engine, 'sample'> = {
    sample: (requests, sampling, options) => pool.generate(requests, wholeSampling(sampling, []), options),
  };
  const results: TaskResult[] = [];
  for (const asked of tasks) {
    const { accuracy, format, greedy, passAtK, n } = await evaluate(
      { tasks: [asked], renderer, promptStyle: 'compact', engine, now: () => performance.now() },
      { ...settings, levelSamples: 0, maxTokens: recipe.maxTokens, seed, scoring: 'strict' },
      updatesOf(recipe),
    );
    if (greedy === undefined) throw new Error('An evaluation lacks its greedy answers.');
    results.push({
      task: asked.task.name,
      sampled: { accuracy, format },
      greedy,
      passAtK: passAtK?.accuracy,
      n,
    });
  }
  pool.dispose();
  return results;
}

export default simpleProgram<Options>(line, async (options) => {
  const plan = planOf(options);
  const { recipe, seed, configJson, tokenizer } = plan;
  await startBackendInNode();
  const reader = createTokenizer(tokenizer);
  const weights = initialWeights(plan.config, drawsFor(seed, INITIAL_STREAM));
  const model = new LanguageModel(ModelWeights.fromHuggingFace(plan.config, weights), recipe.positions);
  const curve = await train(plan, model, reader);
  const results = await measure(plan, model, reader, {
    temperature: 1,
    passAtK: DRAWS,
    samples: recipe.evalSamples,
  });
  for (const { task, sampled, greedy, passAtK } of results)
    printLine(
      `${task}  sampled ${sampled.accuracy}  greedy ${greedy.accuracy}  pass@${DRAWS} ${passAtK}  format ${sampled.format}`,
    );

  const out = options.out ?? join('public', 'models', recipe.name);
  mkdirSync(out, { recursive: true });
  const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
  const trained = writeSafetensors(await model.pool.toHuggingFace(), { metadata: { format: 'pt' } });
  const files: Record<string, string | Uint8Array> = {
    'config.json': json(configJson),
    'generation_config.json': json(GENERATION_CONFIG),
    'tokenizer.json': json(tokenizer.tokenizerJson),
    'tokenizer_config.json': json(tokenizer.tokenizerConfig),
    'model.safetensors': trained,
    'loss_curve.svg': lossCurveSvg(curve),
    'README.md': starterCard(recipe, parameterCount(plan.config), tokenizer.vocabSize, seed, curve, results),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(out, name), content);
  printLine(`Wrote the model ${recipe.name} to ${out}.`);
});
