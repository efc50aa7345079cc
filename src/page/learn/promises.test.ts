/**
 * Suggestions, lessons, recipes of the zoo and presets name settings that they change. Each one changes them, and two steps of it
 * leave other weights than two steps of what it is compared with.
 */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { widened, type LoadedModel } from '@rl-playground/engine/parts';
import { LOCAL_ENVIRONMENT, startBackend } from '@rl-playground/engine/parts/tensors';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { isScratchModel, makeScratchModel } from '@rl-playground/run/models';
import { loadModelNamed } from '@rl-playground/run/models/node';
import { freshStart, Session } from '@rl-playground/run/session/onDevice';
import {
  changedBetween,
  curedConfig,
  defaultConfig,
  differingKeys,
  FIELD_KEYS,
  sameValue,
  parseConfig,
  PRESET_NAMES,
  PRESETS,
  ZOO,
  zooConfig,
  type FieldKey,
  type PresetName,
  type RunConfig,
} from '@rl-playground/run/settings';
import { taskByName } from '@rl-playground/tasks/parts';
import { armConfig, type Lesson } from './lessons/content/lesson.ts';
import { LESSONS } from './lessons/content/lessons.ts';
import { SUGGESTIONS, withSuggestion } from './suggestions/suggestions.ts';

beforeAll(() => startBackend('wasm', { wasmPath: wasmPathInNode }));

const models = new Map<string, Promise<LoadedModel>>();

function modelOf(config: RunConfig): Promise<LoadedModel> {
  if (isScratchModel(config.model)) return makeScratchModel(config);
  const known = models.get(config.model) ?? loadModelNamed(config.model);
  models.set(config.model, known);
  return known;
}

/** Two steps of a run with a batch that is small enough for a test. The settings of the run stay in proportion. */
function small(config: RunConfig): RunConfig {
  const parsed = parseConfig({
    ...config,
    problemsPerStep: Math.min(config.problemsPerStep, 4),
    rolloutsPerProblem: Math.min(config.rolloutsPerProblem, 4),
    miniBatchSize: Math.min(config.miniBatchSize, 2),
    warmStartSteps: Math.min(config.warmStartSteps, 2),
    numGenerators: 1,
  });
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.config;
}

/** The hash of the weights that two steps leave. */
async function trained(config: RunConfig): Promise<string> {
  const session = await Session.open(config, freshStart(await modelOf(config)), LOCAL_ENVIRONMENT);
  try {
    while (session.inSft) await session.sftStep();
    for (let step = 1; step <= 2; step++) await session.trainStep({});
    const last = session.metrics.at(-1);
    expect(last?.step).toBe(2);
    for (const value of [last?.loss, last?.reward, last?.gradNorm]) expect(value).toSatisfy(Number.isFinite);
    const { model, adapter } = await session.parts();
    const arrays = adapter?.arrays ?? (await widened(model.weights));
    const hash = createHash('sha256');
    for (const { data } of arrays.values()) hash.update(data);
    return hash.digest('hex');
  } finally {
    session.dispose();
  }
}

const hashes = new Map<string, Promise<string>>();

/** The same, made once for runs that several promises are compared with. */
function weightsOf(config: RunConfig): Promise<string> {
  const cut = small(config);
  const key = JSON.stringify({ ...cut, preset: 'default' });
  const known = hashes.get(key) ?? trained(cut);
  hashes.set(key, known);
  return known;
}

describe('a suggestion', () => {
  const form = defaultConfig('reverse_digits');
  test.each(SUGGESTIONS)('“$title” trains another run', async (suggestion) => {
    expect(await weightsOf(withSuggestion(form, suggestion))).not.toBe(await weightsOf(form));
  });
});

describe('a lesson', () => {
  const all = Object.values<Lesson>(LESSONS);
  test.each(all)(
    '$id differs from the default, and its runs in every setting that they are told apart by',
    (lesson) => {
      const configs = lesson.arms.map((arm) => armConfig(lesson, arm));
      for (const config of configs) expect(differingKeys(config)).not.toEqual([]);
      for (const [i, { settings }] of lesson.arms.entries())
        for (const other of configs.filter((_, j) => j !== i))
          expect(changedBetween(other, configs[i] ?? other)).toEqual(
            expect.arrayContaining(Object.keys(settings)),
          );
    },
  );

  test.each(all)('$id trains another run in each of its arms', async (lesson) => {
    const made = await Promise.all(lesson.arms.map((arm) => weightsOf(armConfig(lesson, arm))));
    expect(new Set(made).size).toBe(lesson.arms.length);
  });
});

describe('a recipe of the zoo', () => {
  test.each(ZOO)('$id changes what it names, and its cure changes it again', (recipe) => {
    const [sick, cured] = [zooConfig(recipe, 0), curedConfig(recipe, 0)];
    for (const config of [sick, cured]) expect(parseConfig(config)).toMatchObject({ ok: true });
    const names = (settings: Partial<RunConfig>) => Object.keys(settings);
    expect(changedBetween(zooConfig({ ...recipe, settings: {} }, 0), sick)).toEqual(
      expect.arrayContaining(names(recipe.settings)),
    );
    expect(changedBetween(sick, cured)).toEqual(expect.arrayContaining(names(recipe.cureSettings)));
  });

  test.each(ZOO)('$id and its cure train two runs', async (recipe) => {
    expect(await weightsOf(curedConfig(recipe, 0))).not.toBe(await weightsOf(zooConfig(recipe, 0)));
  });
});

/** The settings that the sentence below a preset's name speaks of. */
const NAMED: Readonly<Record<PresetName, readonly FieldKey[]>> = {
  default: [],
  'beyond-demonstrations': ['model', 'taskConfig', 'curriculumStart'],
  'sampler-mismatch': ['samplerNoise', 'clipLow', 'clipHigh'],
  'sampler-mismatch-cured': ['oldLogprobs', 'importanceCap'],
  'monarch-digits': ['loss', 'problemsPerStep', 'rolloutsPerProblem', 'baseline', 'numSteps'],
  'tinker-rl-basic': [
    'loss',
    'lossReduction',
    'problemsPerStep',
    'rolloutsPerProblem',
    'loraRank',
    'taskConfig',
  ],
  'tinker-rl-loop': ['taskConfig', 'removeConstantGroups'],
  'smollm2-instructions': ['maxTokens'],
  'smollm2-one-sentence': ['taskConfig'],
  'gemma3-json': ['renderer'],
  'math-instruct': ['loraRank', 'learningRate', 'maxTokens'],
  'rl-for-real-grpo': ['loss', 'problemsPerStep', 'rolloutsPerProblem', 'advantageScale', 'taskConfig'],
  'rlvr-small': ['loss', 'baseline', 'problemsPerStep', 'taskConfig'],
  'rlvr-large': ['loss', 'baseline', 'problemsPerStep', 'taskConfig'],
  'rlvr-test': ['loss', 'baseline', 'problemsPerStep', 'taskConfig'],
};

/** The preset that a sentence compares its own with, where that is not the recommended one. */
const BEFORE: Partial<Record<PresetName, PresetName>> = {
  'sampler-mismatch-cured': 'sampler-mismatch',
  'tinker-rl-loop': 'tinker-rl-basic',
};

describe('a preset', () => {
  const presets = PRESET_NAMES.filter((name) => name !== 'default');
  const taskOf = (preset: PresetName): string => PRESETS[preset].task ?? 'reverse_digits';

  test.each(presets)('%s changes what its sentence names', (preset) => {
    const [before, own] = [BEFORE[preset], preset].map((name) => defaultConfig(taskOf(preset), name));
    const changed = FIELD_KEYS.filter((key) => !sameValue(before?.[key], own?.[key]));
    expect(changed).toEqual(expect.arrayContaining([...NAMED[preset]]));
  });

  test.each(presets)('%s trains another run than the recommended settings', async (preset) => {
    // No bundled model earns anything at a task for instruct models.
    const task = taskByName(taskOf(preset)).family === 'instruct' ? 'reverse_digits' : taskOf(preset);
    const [usual, own] = [undefined, preset].map((name) => weightsOf(defaultConfig(task, name)));
    expect(await own).not.toBe(await usual);
  });
});
