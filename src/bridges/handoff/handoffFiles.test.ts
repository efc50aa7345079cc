/** Reads again what is written. `npx rl-playground handoff --verify` and `--verify-rewards` check that Python and TRL take it. */
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { defaultConfig, FIELD_KEYS, type RunConfig, snakeName } from '@rl-playground/run/settings';
import {
  contentOf,
  loadModel,
  parseSafetensors,
  filesInMemory,
  type LoadedModel,
  huggingFaceSpecs,
  adapterLength,
  type LoraSettings,
  widened,
} from '@rl-playground/engine/parts';
import { unpackPeft } from '@rl-playground/engine/parts/tensors';
import { taskMix, trainingProblem } from '@rl-playground/run/loop';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import type { CheckpointParts } from '@rl-playground/run/checkpoint';
import { handoffFiles } from './handoffFiles.ts';
import { HANDOFF_SYSTEMS, type HandoffSystem } from './systems.ts';

const run: RunConfig = {
  ...defaultConfig('reverse_digits'),
  numSteps: 6,
  problemsPerStep: 4,
  rolloutsPerProblem: 4,
  evalSamples: 3,
  klBeta: 0.1,
  seed: 5,
};
let model: LoadedModel;
beforeAll(async () => {
  model = await loadModel(starterInNode());
});

const moments = (names: readonly { readonly name: string; readonly shape: readonly number[] }[]) =>
  new Map(
    names.map(({ name, shape }) => {
      const size = shape.reduce((product, side) => product * side, 1);
      return [name, { m: new Float32Array(size).fill(0.5), v: new Float32Array(size).fill(0.25) }] as const;
    }),
  );

async function partsOf(config: RunConfig, changes: Partial<CheckpointParts> = {}): Promise<CheckpointParts> {
  return {
    model,
    optimizer: { step: 2, moments: moments(huggingFaceSpecs(model.config)) },
    adapter: null,
    reference: await widened(model.weights),
    runConfig: config,
    trainerState: {
      step: 2,
      policyVersion: 2,
      baseline: null,
      position: { next: 8, again: [] },
      totalTokens: 0,
      rolloutErrors: 0,
      groupsSkipped: 0,
      curriculum: null,
      sftLosses: [],
      seed: 5,
      wallSeconds: 0,
      settingsSince: 0,
      gemmPlans: null,
    },
    customTasks: [],
    metrics: [],
    evaluations: [],
    ...changes,
  };
}

async function written(
  system: HandoffSystem,
  config = run,
  changes: Partial<CheckpointParts> = {},
): Promise<Map<string, Uint8Array>> {
  const files = await handoffFiles(await partsOf(config, changes), { system });
  const all = await Promise.all(
    [...files].map(async ([name, file]) => [name, await contentOf(file)] as const),
  );
  return new Map(all);
}

const text = (files: ReadonlyMap<string, Uint8Array>, name: string): string =>
  new TextDecoder().decode(files.get(name));
const rowsIn = (lines: string): Record<string, unknown>[] =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The problem that the run would ask next, by the run's own rule. */
const next = () => trainingProblem(taskMix(run), null, run.seed, 8).problem;

describe('to TRL', () => {
  it('goes all that a first update takes: model, moments, reference, the next problems, settings, script', async () => {
    const files = await written('trl');
    expect([...files.keys()]).toEqual([
      'model/config.json',
      'model/tokenizer.json',
      'model/tokenizer_config.json',
      'model/generation_config.json',
      'model/loss_curve.svg',
      'model/model.safetensors',
      'optimizer.safetensors',
      'reference.safetensors',
      'train.jsonl',
      'eval.jsonl',
      'reward.py',
      'train.py',
      'config.yaml',
      'run.json',
      'not_carried.md',
      'README.md',
    ]);
    const handed = await loadModel(
      filesInMemory(
        'handed',
        new Map([...files].map(([name, bytes]) => [name.replace('model/', ''), bytes])),
      ),
    );
    expect(await widened(handed.weights)).toEqual(await widened(model.weights));
    const { metadata, tensors } = parseSafetensors(files.get('optimizer.safetensors') ?? new Uint8Array());
    expect(metadata).toEqual({ step: '2' });
    expect(tensors.has('exp_avg.model.norm.weight')).toBe(true);
    const rows = rowsIn(text(files, 'train.jsonl'));
    expect(rows).toHaveLength(4 * 4);
    const { question, compact, answer, data, index } = next();
    expect(question).not.toBe(compact);
    expect(rows[0]).toEqual({
      prompt: [{ role: 'user', content: compact }],
      task: 'reverse_digits',
      part: 0,
      index,
      problem: JSON.stringify({ answer, data }),
    });
    expect(rowsIn(text(files, 'eval.jsonl'))).toHaveLength(3);
    expect(parse(text(files, 'config.yaml'))).toMatchObject({ num_generations: 4, max_steps: 4, beta: 0.1 });
  });

  it('quotes what Python’s YAML would take for a flag, and gives numbers with an exponent a point', async () => {
    const config = text(await written('trl', { ...run, evalEvery: 0, saveSteps: 0 }), 'config.yaml');
    expect(config).toContain('eval_strategy: "no"');
    expect(config).toContain('adam_epsilon: 1.0e-8');
  });

  it('goes an adapter beside its base, by PEFT’s names', async () => {
    const settings: LoraSettings = { rank: 2, alpha: 4, targets: ['q_proj'] };
    const pool = Float32Array.from({ length: adapterLength(model.config, settings) }, (_, i) => i / 1000);
    const arrays = unpackPeft(model.config, settings, pool);
    const base = new Map(
      [...(await widened(model.weights))].map(([name, { shape, data }]) => [
        name,
        { shape, data: data.map((value) => value / 2) },
      ]),
    );
    const adapter = { settings, arrays, base };
    const specs = [...arrays].map(([name, { shape }]) => ({ name, shape }));
    const config = { ...run, loraRank: 2, loraTargets: ['q_proj'] } as RunConfig;
    const parts = { adapter, reference: null, optimizer: { step: 2, moments: moments(specs) } };
    const files = await written('trl', config, parts);
    expect(JSON.parse(text(files, 'run.json'))).toMatchObject({ model: 'model', adapter: 'adapter' });
    const { tensors } = parseSafetensors(files.get('adapter/adapter_model.safetensors') ?? new Uint8Array());
    const [first = ''] = tensors.keys();
    expect(first).toMatch(/^base_model\.model\..*lora_A\.weight$/);
    const optimizer = parseSafetensors(files.get('optimizer.safetensors') ?? new Uint8Array());
    expect(optimizer.tensors.has(`exp_avg_sq.${first}`)).toBe(true);
    // prime-rl takes no adapter up: its factors are merged.
    const merged = await written('prime-rl', config, parts);
    expect([...merged.keys()].some((name) => name.startsWith('adapter/'))).toBe(false);
    const embedding = (of: ReadonlyMap<string, Uint8Array>): number | undefined =>
      parseSafetensors(of.get('model/model.safetensors') ?? new Uint8Array())
        .tensors.get('model.embed_tokens.weight')
        ?.data.at(0);
    expect(2 * (embedding(files) ?? NaN)).toBe(embedding(merged));
  });
});

it('a base that the Hub has goes by its name and commit', async () => {
  const settings: LoraSettings = { rank: 2, alpha: 4, targets: ['q_proj'] };
  const pool = new Float32Array(adapterLength(model.config, settings));
  const origin = { name: 'org/base', revision: null, commit: 'c'.repeat(40), hubUrl: null };
  const files = await written(
    'trl',
    { ...run, loraRank: 2, klBeta: 0 },
    {
      model: { ...model, origin },
      adapter: { settings, arrays: unpackPeft(model.config, settings, pool), base: null },
      reference: null,
      optimizer: null,
    },
  );
  expect([...files.keys()].some((name) => name.startsWith('model/'))).toBe(false);
  expect(JSON.parse(text(files, 'run.json'))).toMatchObject({
    model: 'org/base',
    revision: 'c'.repeat(40),
    tokenizer: 'org/base',
    adapter: 'adapter',
  });
});

it('verl reads rows as parquet: messages as a list, the reward’s part as one text', async () => {
  const bytes = (await written('verl')).get('train.parquet') ?? new Uint8Array();
  const rows = await parquetReadObjects({ file: bytes.slice().buffer });
  const { compact, answer, data } = next();
  expect(rows).toHaveLength(16);
  const { prompt, data_source: source, reward_model: reward } = rows[0] ?? {};
  expect(prompt).toEqual([{ role: 'user', content: compact }]);
  expect(source).toBe('rl_playground/reverse_digits');
  const truth: unknown = JSON.parse((reward as { ground_truth: string }).ground_truth);
  expect(truth).toEqual({ part: 0, problem: { answer, data } });
});

it('prime-rl reads TOML, a taskset package, and the run’s loss', async () => {
  const files = await written('prime-rl', { ...run, clipHigh: 0.3, klBeta: 0 });
  const toml = text(files, 'rl.toml');
  expect(toml).toContain('[trainer.loss.kwargs]\nkind = "clipped"\nlow = 0.8\nhigh = 1.3\n');
  expect(toml).toContain('[[orchestrator.train.source]]\nname = "train"\n');
  expect(rowsIn(text(files, 'rl_playground_handoff/train.jsonl'))).toHaveLength(16);
  expect(text(files, 'rl_playground_handoff/taskset.py')).toContain(
    'from rl_playground_handoff.reward import grade',
  );
});

it.each(HANDOFF_SYSTEMS)('not_carried.md names every setting once, to %s', async (system) => {
  const lines = text(await written(system), 'not_carried.md').split('\n');
  const told = lines.filter((line) => /^\| `|^Without effect/.test(line)).join('\n');
  for (const key of FIELD_KEYS) expect(told.split(`\`${snakeName(key)}\``), `${key}`).toHaveLength(2);
});

it.each(HANDOFF_SYSTEMS)('what the reward needs is installed by the commands for %s', async (system) => {
  const gym = await written(system, { ...run, task: 'gcd', taskConfig: {} });
  const needed = 'reasoning-gym==0.1.25';
  expect(text(gym, 'README.md')).toContain(`needs \`${needed}\` to be installed`);
  expect(text(gym, 'not_carried.md')).toContain('- The accuracy of gcd is reasoning-gym’s own score');
  const installs = (files: ReadonlyMap<string, Uint8Array>): string =>
    system === 'prime-rl' ? text(files, 'pyproject.toml') : text(files, 'README.md');
  expect(installs(gym)).toContain(system === 'prime-rl' ? `dependencies = ["${needed}"]` : ` ${needed}\n`);
  const own = await written(system);
  for (const name of ['README.md', 'not_carried.md', 'pyproject.toml'])
    expect(text(own, name)).not.toContain('reasoning-gym');
});

describe('refused, with a sentence', () => {
  it.each<[string, Partial<RunConfig>, Partial<CheckpointParts>, RegExp]>([
    ['a model without a run', {}, { runConfig: null }, /holds no run.*Train a step first/],
    ['inside a warm-up', { warmStartSteps: 3 }, {}, /inside its warm-up \(0 of 3 updates\)/],
    ['one answer to a problem', { rolloutsPerProblem: 1 }, {}, /samples 1 answer.*at least 2/],
    ['answers that end at a text', { renderer: 'role_colon' }, {}, /role_colon/],
  ])('%s', async (_, settings, changes, message) => {
    const config = { ...run, ...settings };
    const parts = await partsOf(config, changes);
    await expect(handoffFiles(parts, { system: 'trl' })).rejects.toThrow(message);
  });
});

it('a run that is finished goes on for as many steps again', async () => {
  const files = await written('trl', { ...run, numSteps: 2 });
  expect(JSON.parse(text(files, 'run.json'))).toMatchObject({
    learning_rate: { steps_made: 2, total_steps: 4 },
  });
});

it('under a curriculum the rows are of the levels where the run stands', async () => {
  const trainerState = (await partsOf(run)).trainerState;
  if (trainerState === null) throw new Error('There is no state.');
  const at = { ...trainerState, curriculum: [{ level: 6, recent: [] }] };
  const files = await written('trl', { ...run, curriculum: 'success' }, { trainerState: at });
  const numbers = rowsIn(text(files, 'train.jsonl')).map(
    ({ problem }) => `${(JSON.parse(String(problem)) as { data: { number: number } }).data.number}`.length,
  );
  // Level 7 of reverse_digits has 10 digits.
  expect(new Set(numbers)).toEqual(new Set([10]));
});
