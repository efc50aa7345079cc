/** RL for Real's own files are read for the bundled model and for one that reads English. */
import { describe, expect, it } from 'vitest';
import { readSettings, type ReadOptions } from './read.ts';
import type { RunConfig } from '@rl-playground/run/settings';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { loadModel, type LoadedModel } from '@rl-playground/engine/parts';
import {
  evaluationMix,
  longestPrompt,
  rendererOf,
  taskAt,
  taskMix,
  trainingProblem,
} from '@rl-playground/run/loop';
import { modelNotes } from '@rl-playground/run/session';
import { bundledFolder } from '@rl-playground/run/models/node';

const bundled = (): Promise<LoadedModel> =>
  loadModel(filesInFolder(bundledFolder('starter-gym'), 'starter-gym'));

/** The keys of its files that decide what is asked, and of whom. */
const file = (...lines: readonly string[]): string =>
  ['model_name_or_path: some/model', 'max_steps: 10', ...lines].join('\n');

function read(text: string, options: ReadOptions = {}) {
  const result = readSettings(text, options);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result;
}

function systemPrompt(config: RunConfig): string {
  const tasks = taskMix(config);
  const { problem, taskIndex } = trainingProblem(tasks, null, config.seed, 0);
  const [system] = taskAt(tasks, taskIndex).task.messages(problem, 'full');
  return system?.role === 'system' ? system.content : '';
}

describe('its prompt', () => {
  it('reaches a model that reads English: thoughts by default and for DeepSeekZero, steps for the others', () => {
    const asked = (...lines: readonly string[]) =>
      systemPrompt(read(file('datasets: {gcd: {}, syllogism: {}}', ...lines)).config);
    expect(asked()).toContain('<think>');
    expect(asked('developer_prompt: DeepSeekZero')).toContain('<think>');
    for (const name of ['default', 'simple', 'direct', 'chain_of_draft'])
      expect(asked(`developer_prompt: ${name}`)).not.toContain('<think>');
  });

  it('has thoughts scored, which are left out otherwise', async () => {
    const model = await bundled();
    // A template that knows thoughts.
    const tokenizer = { ...model.tokenizer, templateMentions: (text: string) => text === '</think>' };
    const tokens = model.tokenizer.encode('<think>a</think><answer>1</answer>');
    const text = (config: RunConfig) =>
      rendererOf(config, { ...model, tokenizer }).textOf(tokens, 'max_tokens').text;
    expect(text(read(file('datasets: {gcd: {}}')).config)).toBe('<think>a</think><answer>1</answer>');
    expect(text(read(file('datasets: {gcd: {}}', 'developer_prompt: simple')).config)).toBe(
      '<answer>1</answer>',
    );
  });
});

describe('its evaluation', () => {
  const trained =
    'datasets: {number_filtering: {}, string_insertion: {}, family_relationships: {}, maze: {}}';

  it('asks the tasks of eval_datasets, at their weights, and trains on the others', () => {
    const { config, ignored } = read(
      file(
        trained,
        'eval_datasets: {base_conversion: {weight: 3, config: {max_base: 8}}, maze: {}, chess: {}}',
      ),
    );
    const names = (tasks: ReturnType<typeof taskMix>) => tasks.map(({ task, share }) => [task.name, share]);
    expect(names(evaluationMix(config))).toEqual([
      ['base_conversion', 0.75],
      ['maze', 0.25],
    ]);
    expect(evaluationMix(config)[0]?.config).toMatchObject({ max_base: 8, developer_prompt: 'think' });
    expect(names(taskMix(config)).map(([name]) => name)).toEqual([
      'number_filtering',
      'string_insertion',
      'family_relationships',
      'maze',
    ]);
    expect(ignored.map(({ path }) => path)).toEqual(['eval_datasets.chess']);
  });

  it('asks held-out problems of the training tasks where it names the same, none that are here, or nothing', () => {
    for (const held of [
      'eval_datasets: null',
      trained.replace('datasets', 'eval_datasets'),
      'eval_datasets: {chess: {}}',
    ])
      expect(read(file(trained, held)).config.evalMixture).toEqual([]);
  });
});

describe('the longest answer', () => {
  const long = file('datasets: {syllogism: {}}', 'max_completion_length: 512');

  it('is the file’s, as far as the bundled model has room', async () => {
    const { config, replaced } = read(long);
    const model = await bundled();
    const prompt = longestPrompt(config, 'compact', rendererOf(config, model));
    // A character is one token at most, and a word of some tasks is one altogether.
    const unused = model.config.maxPositions - prompt - config.maxTokens;
    expect(unused).toBeGreaterThanOrEqual(0);
    expect(unused).toBeLessThan(16);
    expect(replaced.some((text) => text.startsWith(`Longest answer: ${config.maxTokens} tokens`))).toBe(true);
    expect(read(file('datasets: {syllogism: {}}', 'max_completion_length: 400')).config.maxTokens).toBe(400);
  });

  it('leaves room for long questions, whether or not the file says how long answers are', async () => {
    const model = await bundled();
    for (const line of ['max_completion_length: 384', 'colour: red']) {
      const { config } = read(file('datasets: {maze: {}}', 'eval_datasets: {gcd: {}}', line));
      const prompt = longestPrompt(config, 'compact', rendererOf(config, model));
      expect(config.maxTokens).toBeLessThan(384);
      expect(prompt + config.maxTokens).toBeLessThanOrEqual(model.config.maxPositions);
    }
  });

  it('is the file’s with a model of the user’s own', () => {
    const { config, replaced } = read(long, { model: 'org/name' });
    expect(config.maxTokens).toBe(512);
    expect(replaced.filter((text) => text.startsWith('Longest answer'))).toEqual([]);
    expect(replaced).toContain('Model: org/name instead of some/model.');
  });
});

describe('its examples', () => {
  const unread = async (config: RunConfig): Promise<string[]> =>
    modelNotes(config, await bundled()).flatMap(({ title, text }) =>
      title.includes('cannot read') ? [`${title}: ${text}`] : [],
    );

  it('of other training tasks end with a model that reads both', async () => {
    const { config } = read(`
datasets:
  basic_arithmetic:
    weight: 1.0
    config: { min_digits: 1, max_digits: 2, operators: ["+", "-"] }
  syllogism:
    weight: 1.0
    config: { num_premises: 2 }
`);
    expect(config.model).toBe('starter-gym');
    expect(await unread(config)).toEqual([]);
  });

  it('of tasks that it cannot read all of end with the share of problems that it cannot', async () => {
    // Quotients of complex numbers are asked with a sign that it has no token for.
    const { config } = read(file('datasets: {chain_sum: {weight: 3}, complex_arithmetic: {}}'));
    const [note, ...more] = await unread(config);
    expect(more).toEqual([]);
    const [, strange, percent] =
      /complex_arithmetic: (\d+) of 20 problems, (\d+)% of the run’s, have characters/.exec(note ?? '') ?? [];
    expect(Number(strange)).toBeGreaterThan(0);
    // A quarter of the run's problems are of the task.
    expect(Number(percent)).toBe(Math.round((25 * Number(strange)) / 20));
  });
});
