/**
 * `npm run lab -- formats`: what the formats of a frozen base cost in answers. For each bundled model, in each format: the difference of its
 * logits behind prompts from those of 32 bit, and the share of held-out problems that it solves. On wasm under Node.
 */
import { BASE_FORMATS, type BaseFormat, type LoadedModel } from '@rl-playground/engine/parts';
import {
  tf,
  FrozenBase,
  createCaches,
  disposeCaches,
  prefill,
  LanguageModel,
  createLocalPool,
} from '@rl-playground/engine/parts/tensors';
import { defaultConfig, type RunConfig } from '@rl-playground/run/settings';
import { loadModelNamed } from '@rl-playground/run/models/node';
import { rendererOf } from '@rl-playground/run/loop';
import { freshStart, Session } from '@rl-playground/run/session/onDevice';
import { taskByName, FAMILY_MODELS, GYM_MODEL, SHORT_MODEL } from '@rl-playground/tasks/parts';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import '@rl-playground/tasks/words';

interface Options {
  readonly samples: number;
}

const line = () =>
  command(
    'npm run lab -- formats',
    'Compares the formats of a frozen base by the logits and the accuracy of the bundled models.',
    '--samples 100',
  ).option('--samples <n>', 'held-out problems of each accuracy', wholeNumber(1), 300);

/** Of each bundled model, what it is asked. */
const ASKED: readonly RunConfig[] = [
  ...(
    [
      ['starter', 'sum_digits'],
      ['starter', 'reverse_digits'],
      [FAMILY_MODELS[0], 'tinker_arithmetic'],
      [FAMILY_MODELS[1], 'string_insertion'],
      [FAMILY_MODELS[2], 'syllogism'],
      [GYM_MODEL, 'spell_backward'],
    ] as const
  ).map(([model, task]) => ({ ...defaultConfig(task), model })),
  // As many numbers as it was shown.
  {
    ...defaultConfig('sum_digits_titan'),
    model: SHORT_MODEL,
    taskConfig: { min_numbers: 2, max_numbers: 3 },
    maxTokens: 72,
    curriculum: 'off',
    levelSamples: 0,
  },
];
const FORMATS = BASE_FORMATS.filter((format) => format !== 'auto');
const PROMPTS = 64;

function promptsOf(config: RunConfig, model: LoadedModel): number[][] {
  const task = taskByName(config.task);
  const renderer = rendererOf(config, model);
  const settings = { ...task.defaults, ...config.taskConfig };
  return Array.from({ length: PROMPTS }, (_, index) =>
    renderer.promptIds(task.messages(task.generate(config.seed, 'eval', index, settings), model.promptStyle)),
  );
}

/** [prompts, V]. */
async function logitsOf(
  model: LoadedModel,
  prompts: readonly (readonly number[])[],
  format: BaseFormat,
): Promise<Float32Array> {
  const base = await FrozenBase.load(model.config, model.weights, format);
  const length = Math.max(...prompts.map((prompt) => prompt.length));
  const lm = new LanguageModel(base, length);
  const caches = createCaches(lm, prompts.length, length);
  const all = prompts.map((_, i) => i);
  const logits = tf.tidy(() => prefill(lm, prompts, length, caches, { sources: all, slots: all }));
  const values = (await logits.data<'float32'>()).slice();
  logits.dispose();
  disposeCaches(caches);
  lm.dispose();
  return values;
}

async function accuracyOf(model: LoadedModel, config: RunConfig, format: BaseFormat): Promise<number> {
  const session = await Session.open(
    { ...config, loraRank: 1, baseFormat: format, evalTemperature: 0 },
    freshStart(model),
    { createPool: (generator) => createLocalPool(generator), now: () => performance.now() },
  );
  try {
    await session.evaluate({ passAtK: false });
    return session.evaluations[0]?.accuracy ?? NaN;
  } finally {
    session.dispose();
  }
}

function differences(found: Float32Array, expected: Float32Array): { largest: number; rms: number } {
  let [largest, squares] = [0, 0];
  for (let i = 0; i < found.length; i++) {
    const difference = (found[i] ?? NaN) - (expected[i] ?? NaN);
    largest = Math.max(largest, Math.abs(difference));
    squares += difference * difference;
  }
  return { largest, rms: Math.sqrt(squares / found.length) };
}

export default simpleProgram<Options>(line, async ({ samples }) => {
  await startBackendInNode();
  printLine(
    `model               task               format   logits off by (rms, largest)   greedy accuracy of ${samples}`,
  );
  for (const asked of ASKED) {
    const config: RunConfig = { ...asked, evalSamples: samples };
    const model = await loadModelNamed(config.model);
    const prompts = promptsOf(config, model);
    const wide = await logitsOf(model, prompts, 'f32');
    for (const format of FORMATS) {
      const { largest, rms } = differences(await logitsOf(model, prompts, format), wide);
      const accuracy = await accuracyOf(model, config, format);
      printLine(
        `${config.model.padEnd(19)} ${config.task.padEnd(18)} ${format.padEnd(7)} ${rms.toFixed(4).padStart(12)} ${largest.toFixed(4).padStart(12)} ${accuracy.toFixed(3).padStart(18)}`,
      );
    }
  }
});
