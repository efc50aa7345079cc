/**
 * `npm run pretrain [-- --seed N] [--out DIR] [--fresh]`: builds the starter model from nothing: tokenizer, random weights,
 * then supervised training on demonstrations that the tasks generate, by the project's own trainer on wasm. The same seed
 * gives the same bytes. State is kept in `.cache/pretrain` every few steps; run again after an interruption and it goes on.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSafetensors, writeSafetensors } from '../src/hub/safetensors.ts';
import { createTokenizer } from '../src/hub/tokenizer.ts';
import type { Tokenizer } from '../src/hub/types.ts';
import { parseModelConfig } from '../src/model/config.ts';
import { initialWeights } from '../src/model/initialize.ts';
import { LanguageModel } from '../src/model/languageModel.ts';
import { parameterCount } from '../src/model/parameters.ts';
import { ModelWeights } from '../src/model/weights.ts';
import { packMicrobatches } from '../src/rl/batch.ts';
import { evaluate } from '../src/rl/evaluate.ts';
import { negativeLogLikelihood } from '../src/rl/losses.ts';
import { Optimizer } from '../src/rl/optimizer.ts';
import { learningRateAt } from '../src/rl/schedule.ts';
import { demonstrationSequence } from '../src/rl/supervised.ts';
import { trainStep } from '../src/rl/trainer.ts';
import { createLocalPool } from '../src/rollout/localPool.ts';
import { readOptimizer, writeOptimizer } from '../src/run/optimizerFile.ts';
import { taskByName } from '../src/tasks/index.ts';
import { drawsFor } from '../src/tasks/random.ts';
import { startNodeBackend } from './nodeBackend.ts';
import {
  GENERATION_CONFIG,
  lossCurveSvg,
  RECIPE,
  STARTER_CONFIG,
  starterCard,
  type LossPoint,
  type TaskResult,
} from './starterRecipe.ts';
import { buildStarterTokenizer } from './starterTokenizer.ts';

const SAVE_EVERY = 100;
const REPORT_EVERY = 25;
/** Keep the weights' and the demonstrations' streams apart from each other and from every run's. */
const INITIAL_STREAM = 0x1417;
const DEMONSTRATION_SEED = 1_000_003;

const { values: args } = parseArgs({
  options: {
    seed: { type: 'string', default: '0' },
    out: { type: 'string', default: 'public/models/starter' },
    fresh: { type: 'boolean', default: false },
  },
});
const seed = Number(args.seed);
if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
  console.error(`--seed is ${args.seed}; it must be a whole number from 0 to 4294967295.`);
  process.exit(2);
}

const config = parseModelConfig(STARTER_CONFIG);
const tasks = ['sum_digits', 'reverse_digits'].map(taskByName);
const stateFolder = join('.cache', 'pretrain');
const stateFile = (name: string): string => join(stateFolder, name);

interface Progress {
  readonly seed: number;
  readonly recipe: string;
  readonly step: number;
  readonly curve: LossPoint[];
}
/** A saved state only fits the settings that made it. */
const recipe = JSON.stringify([STARTER_CONFIG, RECIPE]);

function savedProgress(): Progress | null {
  if (args.fresh) rmSync(stateFolder, { recursive: true, force: true });
  if (!existsSync(stateFile('progress.json'))) return null;
  const progress = JSON.parse(readFileSync(stateFile('progress.json'), 'utf8')) as Progress;
  return progress.seed === seed && progress.recipe === recipe ? progress : null;
}

function openModel(progress: Progress | null): { model: LanguageModel; optimizer: Optimizer } {
  const weights = progress
    ? parseSafetensors(readFileSync(stateFile('model.safetensors'))).tensors
    : initialWeights(config, drawsFor(seed, INITIAL_STREAM));
  const model = new LanguageModel(ModelWeights.fromHuggingFace(config, weights), RECIPE.positions);
  const state = progress
    ? readOptimizer(readFileSync(stateFile('optimizer.safetensors')), config, stateFolder)
    : null;
  return { model, optimizer: new Optimizer(model.weights, RECIPE.adam, state) };
}

async function save(progress: Progress, model: LanguageModel, optimizer: Optimizer): Promise<void> {
  mkdirSync(stateFolder, { recursive: true });
  writeFileSync(stateFile('model.safetensors'), writeSafetensors(await model.weights.toHuggingFace()));
  writeFileSync(stateFile('optimizer.safetensors'), writeOptimizer(await optimizer.state(), config));
  writeFileSync(stateFile('progress.json'), JSON.stringify(progress));
}

/** Trains to the end of the recipe and returns the loss curve. */
async function train(
  model: LanguageModel,
  optimizer: Optimizer,
  tokenizer: Tokenizer,
  begun: Progress | null,
) {
  const curve = begun ? [...begun.curve] : [];
  const first = (begun?.step ?? 0) + 1;
  if (begun) console.log(`Going on from step ${begun.step}.`);
  let sum = 0;
  let began = performance.now();
  for (let step = first; step <= RECIPE.steps; step++) {
    const sequences = Array.from({ length: RECIPE.batch }, (_, i) => {
      const index = (step - 1) * RECIPE.batch + i;
      const task = tasks[index % tasks.length] as (typeof tasks)[number];
      return demonstrationSequence(
        task,
        task.defaults,
        tokenizer,
        'compact',
        DEMONSTRATION_SEED + seed,
        index,
      );
    });
    const learningRate = learningRateAt(step, {
      peak: RECIPE.learningRate,
      kind: 'linear',
      warmupSteps: RECIPE.warmupSteps,
      totalSteps: RECIPE.steps,
    });
    const { loss } = await trainStep(
      packMicrobatches(sequences, 'token_mean', RECIPE.microBatchTokens),
      learningRate,
      {
        policy: model,
        reference: null,
        optimizer,
        temperature: 1,
        loss: negativeLogLikelihood,
        breathe: () => Promise.resolve(),
      },
    );
    sum += loss;
    if (step % REPORT_EVERY === 0) {
      const secondsPerStep = (performance.now() - began) / 1000 / REPORT_EVERY;
      const minutesLeft = ((RECIPE.steps - step) * secondsPerStep) / 60;
      curve.push({ step, loss: sum / REPORT_EVERY });
      console.log(
        `step ${step}  loss ${(sum / REPORT_EVERY).toFixed(4)}  ${minutesLeft.toFixed(1)} min left`,
      );
      sum = 0;
      began = performance.now();
    }
    if (step % SAVE_EVERY === 0) await save({ seed, recipe, step, curve }, model, optimizer);
  }
  return curve;
}

async function measure(model: LanguageModel, tokenizer: Tokenizer): Promise<TaskResult[]> {
  const pool = createLocalPool({
    config,
    stopTokenIds: [GENERATION_CONFIG.eos_token_id],
    positions: RECIPE.positions,
  });
  await pool.setWeights(0, await model.weights.pack());
  const results: TaskResult[] = [];
  for (const task of tasks) {
    for (const temperature of [1, 0]) {
      const { accuracy, format, n } = await evaluate(
        { tasks: [{ task, share: 1, config: task.defaults }], tokenizer, promptStyle: 'compact', pool },
        {
          samples: RECIPE.evalSamples,
          temperature,
          maxTokens: RECIPE.maxTokens,
          seed,
          scoring: 'strict',
        },
        RECIPE.steps,
        () => performance.now(),
      );
      results.push({ task: task.name, temperature, accuracy, format, n });
      console.log(
        `${task.name} at temperature ${temperature}: accuracy ${accuracy}, format ${format}, n ${n}`,
      );
    }
  }
  return results;
}

await startNodeBackend();
const { tokenizerJson, tokenizerConfig } = buildStarterTokenizer();
const tokenizer = createTokenizer({ tokenizerJson, tokenizerConfig });
const begun = savedProgress();
const { model, optimizer } = openModel(begun);
const curve = await train(model, optimizer, tokenizer, begun);
const results = await measure(model, tokenizer);

mkdirSync(args.out, { recursive: true });
const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
const files: Record<string, string | Uint8Array> = {
  'config.json': json(STARTER_CONFIG),
  'generation_config.json': json(GENERATION_CONFIG),
  'tokenizer.json': json(tokenizerJson),
  'tokenizer_config.json': json(tokenizerConfig),
  'model.safetensors': writeSafetensors(await model.weights.toHuggingFace(), { metadata: { format: 'pt' } }),
  'loss_curve.svg': lossCurveSvg(curve),
  'README.md': starterCard(parameterCount(config), seed, curve, results),
};
for (const [name, content] of Object.entries(files)) writeFileSync(join(args.out, name), content);
console.log(`Wrote the starter model to ${args.out}.`);
