import { describe, expect, it } from 'vitest';
import { accepted } from './testing/trainWords.ts';
import { type TaskField, findTask, MIXTURE, TASKS } from '@rl-playground/tasks/parts';
import { LORA_TARGETS } from '@rl-playground/engine/parts';
import { drawsFor, pick, uniformInt } from '@rl-playground/base/random';
import {
  FIELDS,
  textOfValue,
  type FieldDescription,
  parseConfig,
  sameValue,
  snakeName,
  defaultConfig,
  FIELD_KEYS,
  type RunConfig,
  PRESET_NAMES,
  PRESET_TITLES,
  configFromQuery,
  configToQuery,
} from '@rl-playground/run/settings';
import { readSettings } from '@rl-playground/bridges/settings';
import { settingsAsYaml } from '@rl-playground/run/settings/files';
import { everyProof, provenBy } from '@rl-playground/base/testing/proofs';
import { TODAY } from '@rl-playground/base/testing/today';

/** Texts that YAML, JSON, a shell or a link could take for something else. */
const TEXTS = [
  'null',
  '~',
  'true',
  'No',
  'off',
  'y',
  '1e5',
  '0x1F',
  '1_000',
  '.5',
  '-',
  '.inf',
  '2030-01-01',
  '1:30',
  '*a',
  '&a',
  '!x',
  '%x',
  '@x',
  '`x',
  '#x',
  'a #b',
  'a: b',
  '- a',
  '? a',
  '{a: 1}',
  '[1, 2]',
  '"',
  "'",
  '|',
  '>',
  ' a',
  'a ',
  'a\tb',
  'a\nb',
  'a\r\nb',
  '\n',
  '\\',
  '${a}',
  'a=b&c',
  '+',
  '%41',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\0',
  'Müller/模型-🙂',
  '__proto__',
  '<<',
  '---',
  '...',
  `${'word '.repeat(30)}end`,
];

class Draws {
  readonly #next: () => number;
  constructor(seed: number) {
    this.#next = drawsFor(seed);
  }
  whole(min: number, max: number): number {
    return uniformInt(this.#next, min, max);
  }
  chance(percent: number): boolean {
    return this.whole(1, 100) <= percent;
  }
  of<Value>(values: readonly Value[]): Value {
    return pick(this.#next, values);
  }
  /** Draws at least one of the values, in any order. */
  some<Value>(values: readonly Value[]): Value[] {
    const first = this.of(values);
    return [first, ...values.filter((value) => value !== first && this.chance(40))];
  }
  /** Both inclusive; often a bound, and small numbers as often as large ones. */
  real(min: number, max: number): number {
    if (this.chance(20)) return this.of([min, max]);
    const share = this.whole(0, 1_000_000) / 1_000_000;
    const value =
      min >= 0 && this.chance(50) ? min + (max - min) * 10 ** (-12 * share) : min + (max - min) * share;
    return Math.min(max, Math.max(min, value));
  }
  integer(min: number, max: number): number {
    return Math.min(max, Math.max(min, Math.round(this.real(min, max))));
  }
}

function taskValue(draws: Draws, field: TaskField): RunConfig['taskConfig'][string] {
  if (field.kind === 'flag') return draws.chance(50);
  if (field.kind === 'choice') return draws.of(Object.keys(field.choices));
  if (field.kind === 'subset') return draws.some(Object.keys(field.choices));
  if (field.kind === 'weights') return field.names.map((_, i) => (i === 0 ? 1 : draws.integer(0, 3) / 2));
  return field.whole ? draws.integer(field.min, field.max) : draws.real(field.min, field.max);
}

function taskConfig(draws: Draws, name: string): RunConfig['taskConfig'] {
  const fields = Object.entries(findTask(name)?.fields ?? {});
  return Object.fromEntries(
    fields.filter(() => draws.chance(60)).map(([key, field]) => [key, taskValue(draws, field)]),
  );
}

function mixture(draws: Draws): RunConfig['mixture'] {
  const names = draws.some(TASKS.map(({ name }) => name)).slice(0, 4);
  return names.map((task) => ({ task, weight: draws.real(0.001, 9), config: taskConfig(draws, task) }));
}

/** A value within the bounds of its own setting. */
function valueOf(draws: Draws, field: FieldDescription, task: string): unknown {
  if (field.type === 'boolean') return draws.chance(50);
  if (field.type === 'choice') return draws.of(field.choices).value;
  if (field.type === 'text') return draws.of(TEXTS).slice(0, field.maxLength);
  if (field.type === 'number')
    return field.step === 1 ? draws.integer(field.min, field.max) : draws.real(field.min, field.max);
  if (field.key === 'loraTargets') return draws.some(LORA_TARGETS);
  return field.key === 'mixture' || field.key === 'evalMixture' ? mixture(draws) : taskConfig(draws, task);
}

/** The settings that training on groups as they finish demands. */
const STREAMED = {
  schedule: 'stream',
  numMinibatches: 1,
  ppoEpochs: 1,
  miniBatchSize: 0,
  gradientAccumulation: 1,
  advantageScale: 'none',
  oldLogprobs: 'sampler',
  importanceCap: 0,
  targetKl: 0,
  oneProblemPerGenerator: false,
} as const;

/** The number of rounds. In the second round a setting may take what another one forbade before. */
const ROUNDS = everyProof ? 2 : 1;

/** Settings of any kind that break no rule: each drawn value is kept where the settings stay valid with it. */
function validConfig(seed: number): RunConfig {
  const draws = new Draws(seed);
  const task = draws.chance(15) ? MIXTURE : draws.of(TASKS).name;
  let config = defaultConfig(task, draws.of(PRESET_NAMES));
  if (task === MIXTURE) config = { ...config, mixture: mixture(draws) };
  if (draws.chance(30)) config = { ...config, ...STREAMED };
  for (let round = 0; round < ROUNDS; round++)
    for (const field of FIELDS) {
      if (field.key === 'task' || field.key === 'preset') continue;
      const changed = { ...config, [field.key]: valueOf(draws, field, task) };
      // Some losses have a reduction of their own.
      const parsed = [changed, { ...changed, lossReduction: 'auto' }].map(parseConfig).find(({ ok }) => ok);
      if (parsed?.ok) config = parsed.config;
    }
  return config;
}

const CONFIGS = Array.from({ length: 150 }, (_, i) => validConfig(i)).filter((each) => parseConfig(each).ok);

/** A small proof writes each settings in one of these ways. */
const WRITERS: readonly ((config: RunConfig) => string)[] = [
  settingsAsYaml,
  (config) => JSON.stringify(config),
];
/** The configurations of a small proof are some of them, and others every day. */
const SOME = provenBy(
  CONFIGS,
  CONFIGS.filter((_, i) => (i + TODAY) % 3 === 0),
);

describe('any valid settings', () => {
  it('are of every kind', () => {
    expect(CONFIGS.length).toBeGreaterThan(130);
    const usual = FIELD_KEYS.filter((key) =>
      CONFIGS.every((each) => sameValue(each[key], defaultConfig(each.task, each.preset)[key])),
    );
    expect(usual).toEqual(['task', 'preset']);
    expect(new Set(CONFIGS.map(({ loss }) => loss)).size).toBe(12);
    expect(new Set(CONFIGS.map(({ schedule }) => schedule)).size).toBe(3);
  });

  it('come back from YAML and JSON as they went out', () => {
    for (const [i, config] of CONFIGS.entries())
      for (const write of provenBy(WRITERS, [WRITERS[(i + TODAY) % WRITERS.length] ?? settingsAsYaml])) {
        const text = write(config);
        const back = readSettings(text);
        expect(back).toMatchObject({ ok: true, ignored: [], replaced: [] });
        if (back.ok) expect(back.config).toEqual(config);
      }
  });

  it('come back from a link', () => {
    for (const config of CONFIGS)
      expect(configFromQuery(configToQuery(config))).toEqual({ config, errors: [] });
  });

  it('come back from a command line', () => {
    for (const config of SOME) {
      const words = FIELD_KEYS.map((key) => `${snakeName(key)}=${textOfValue(config[key])}`);
      expect(accepted(...words).config).toEqual(config);
    }
  });
});

it('every preset on every task is valid, and comes back', () => {
  for (const preset of PRESET_NAMES)
    for (const task of TASKS.map(({ name }) => name)) {
      const config = defaultConfig(task, preset);
      expect(parseConfig(config), `${PRESET_TITLES[preset]}, ${task}`).toEqual({ ok: true, config });
      // src/run/settings/url.test.ts has links of each task with presets in turn.
      if (everyProof) expect(configFromQuery(configToQuery(config))).toEqual({ config, errors: [] });
    }
});
