/**
 * `npm run pretrain [-- --model NAME] [--seed N] [--out DIR] [--fresh] [--steps N] [--check-every N]`: builds a starter model from
 * nothing: tokenizer, random weights, then supervised training on demonstrations that the tasks generate, by the project's own
 * trainer on wasm. The same seed gives the same bytes. State is kept in `.cache/pretrain` every few steps; run again after an
 * interruption and it goes on. `--check-every` prints greedy accuracy on a few held-out problems as training goes on.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSafetensors, writeSafetensors } from '../src/hub/safetensors.ts';
import { createRenderer } from '../src/hub/renderers/index.ts';
import { createTokenizer } from '../src/hub/tokenizer.ts';
import type { Tokenizer } from '../src/hub/types.ts';
import { parseModelConfig } from '../src/model/config.ts';
import { initialWeights } from '../src/model/initialize.ts';
import { LanguageModel } from '../src/model/languageModel.ts';
import { huggingFaceSpecs, parameterCount } from '../src/model/parameters.ts';
import { ModelWeights } from '../src/model/weights.ts';
import { packMicrobatches } from '../src/rl/update/batch.ts';
import type { Engine } from '../src/rl/engine/engine.ts';
import { evaluate } from '../src/rl/loop/evaluate.ts';
import { negativeLogLikelihood } from '../src/rl/loss/losses.ts';
import { Optimizer } from '../src/rl/update/optimizer.ts';
import { learningRateAt } from '../src/rl/update/learningRate.ts';
import { demonstrationSequence } from '../src/rl/sft/demonstrations.ts';
import { weightsOfWhole } from '../src/rl/loss/reduction.ts';
import { trainStep } from '../src/rl/update/trainer.ts';
import { createLocalPool } from '../src/rollout/localPool.ts';
import { wholeSampling } from '../src/rollout/requests.ts';
import { readOptimizer, writeOptimizer } from '../src/run/checkpoint/optimizerFile.ts';
import { taskByName } from '../src/tasks/index.ts';
import type { TaskConfig } from '../src/tasks/types.ts';
import { drawsFor } from '../src/base/random.ts';
import { startNodeBackend } from './nodeBackend.ts';
import { DIGITS } from './starters/digits.ts';
import { FAMILIES } from './starters/families.ts';
import {
  GENERATION_CONFIG,
  lossCurveSvg,
  starterCard,
  starterConfig,
  type LossPoint,
  type TaskResult,
} from './starters/recipe.ts';
import { buildStarterTokenizer } from './starters/tokenizer.ts';

const SAVE_EVERY = 100;
const REPORT_EVERY = 50;
/** Held-out problems of each task at a look in between. */
const CHECKED = 60;
/** Keep the weights' and the demonstrations' streams apart from each other and from every run's. */
const INITIAL_STREAM = 0x1417;
const DEMONSTRATION_SEED = 1_000_003;

const { values: args } = parseArgs({
  options: {
    model: { type: 'string', default: DIGITS.name },
    seed: { type: 'string', default: '0' },
    out: { type: 'string' },
    fresh: { type: 'boolean', default: false },
    steps: { type: 'string' },
    'check-every': { type: 'string', default: '0' },
  },
});
const seed = Number(args.seed);
if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
  console.error(`--seed is ${args.seed}; it must be a whole number from 0 to 4294967295.`);
  process.exit(2);
}

const recipes = [DIGITS, ...FAMILIES];
const named = recipes.find(({ name }) => name === args.model);
if (named === undefined) {
  console.error(`--model is ${args.model}; choose one of: ${recipes.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const recipe = args.steps === undefined ? named : { ...named, steps: Number(args.steps) };
const checkEvery = Number(args['check-every']);
const out = args.out ?? join('public', 'models', recipe.name);
const { tokenizerJson, tokenizerConfig, vocabSize } = buildStarterTokenizer(recipe.vocabulary);
const configJson = starterConfig(recipe, vocabSize);
const config = parseModelConfig(configJson);
if (recipe.tasks.length === 0) {
  console.error(
    `No task names ${recipe.name} as the model of its first run, so there is nothing to train it on.`,
  );
  process.exit(2);
}
/** Each task at the settings of its first run. */
const tasks = recipe.tasks.map((name) => {
  const task = taskByName(name);
  return { task, share: 1, config: { ...task.defaults, ...task.starter?.config } as TaskConfig };
});
const stateFolder = join('.cache', 'pretrain', recipe.name);
const stateFile = (name: string): string => join(stateFolder, name);

interface Progress {
  readonly seed: number;
  readonly made: string;
  readonly step: number;
  readonly curve: LossPoint[];
}
/** A saved state only fits the settings that made it. */
const made = JSON.stringify([configJson, recipe]);

function savedProgress(): Progress | null {
  if (args.fresh) rmSync(stateFolder, { recursive: true, force: true });
  if (!existsSync(stateFile('progress.json'))) return null;
  const progress = JSON.parse(readFileSync(stateFile('progress.json'), 'utf8')) as Progress;
  return progress.seed === seed && progress.made === made ? progress : null;
}

function openModel(progress: Progress | null): { model: LanguageModel; optimizer: Optimizer } {
  const weights = progress
    ? parseSafetensors(readFileSync(stateFile('model.safetensors'))).tensors
    : initialWeights(config, drawsFor(seed, INITIAL_STREAM));
  const model = new LanguageModel(ModelWeights.fromHuggingFace(config, weights), recipe.positions);
  const state = progress
    ? readOptimizer(readFileSync(stateFile('optimizer.safetensors')), huggingFaceSpecs(config), stateFolder)
    : null;
  return { model, optimizer: new Optimizer(model.weights, recipe.adam, state) };
}

async function save(progress: Progress, model: LanguageModel, optimizer: Optimizer): Promise<void> {
  mkdirSync(stateFolder, { recursive: true });
  writeFileSync(stateFile('model.safetensors'), writeSafetensors(await model.weights.toHuggingFace()));
  writeFileSync(
    stateFile('optimizer.safetensors'),
    writeOptimizer(await optimizer.state(), huggingFaceSpecs(config)),
  );
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
  for (let step = first; step <= recipe.steps; step++) {
    const sequences = Array.from({ length: recipe.batch }, (_, i) => {
      const index = (step - 1) * recipe.batch + i;
      const { task, config: settings } = tasks[index % tasks.length] as (typeof tasks)[number];
      return demonstrationSequence(task, settings, tokenizer, 'compact', DEMONSTRATION_SEED + seed, index);
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
      const minutesLeft = ((recipe.steps - step) * secondsPerStep) / 60;
      curve.push({ step, loss: sum / REPORT_EVERY });
      console.log(
        `step ${step}  loss ${(sum / REPORT_EVERY).toFixed(4)}  ${minutesLeft.toFixed(1)} min left`,
      );
      sum = 0;
      began = performance.now();
    }
    if (step % SAVE_EVERY === 0) await save({ seed, made, step, curve }, model, optimizer);
    if (checkEvery > 0 && step % checkEvery === 0 && step < recipe.steps)
      await measure(model, tokenizer, [0], CHECKED);
  }
  return curve;
}

async function measure(
  model: LanguageModel,
  tokenizer: Tokenizer,
  temperatures: readonly number[],
  samples: number,
): Promise<TaskResult[]> {
  const pool = createLocalPool({
    config,
    stopTokenIds: [GENERATION_CONFIG.eos_token_id],
    positions: recipe.positions,
  });
  await pool.setWeights(0, await model.weights.pack());
  const renderer = createRenderer('auto', { tokenizer, stopTokenIds: [GENERATION_CONFIG.eos_token_id] });
  const engine: Pick<Engine, 'sample'> = {
    sample: (requests, sampling, options) => pool.generate(requests, wholeSampling(sampling, []), options),
  };
  const results: TaskResult[] = [];
  for (const asked of tasks) {
    const { task } = asked;
    for (const temperature of temperatures) {
      const { accuracy, format, n } = await evaluate(
        { tasks: [asked], renderer, promptStyle: 'compact', engine },
        {
          samples,
          temperature,
          maxTokens: recipe.maxTokens,
          seed,
          scoring: 'strict',
        },
        recipe.steps,
        () => performance.now(),
      );
      results.push({ task: task.name, temperature, accuracy, format, n });
      console.log(
        `${task.name} at temperature ${temperature}: accuracy ${accuracy}, format ${format}, n ${n}`,
      );
    }
  }
  pool.dispose();
  return results;
}

await startNodeBackend();
const tokenizer = createTokenizer({ tokenizerJson, tokenizerConfig });
const begun = savedProgress();
const { model, optimizer } = openModel(begun);
const curve = await train(model, optimizer, tokenizer, begun);
const results = await measure(model, tokenizer, [1, 0], recipe.evalSamples);

mkdirSync(out, { recursive: true });
const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
const files: Record<string, string | Uint8Array> = {
  'config.json': json(configJson),
  'generation_config.json': json(GENERATION_CONFIG),
  'tokenizer.json': json(tokenizerJson),
  'tokenizer_config.json': json(tokenizerConfig),
  'model.safetensors': writeSafetensors(await model.weights.toHuggingFace(), { metadata: { format: 'pt' } }),
  'loss_curve.svg': lossCurveSvg(curve),
  'README.md': starterCard(recipe, parameterCount(config), vocabSize, seed, curve, results),
};
for (const [name, content] of Object.entries(files)) writeFileSync(join(out, name), content);
console.log(`Wrote the model ${recipe.name} to ${out}.`);
