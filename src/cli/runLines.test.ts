import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { customTask, findTask, GRADER_DEFAULTS, setCustomTasks } from '@rl-playground/tasks/parts';
import { runLines } from './runLines.ts';
import { accepted } from './testing/trainWords.ts';

const linesOf = (words: string): string[] => runLines(accepted(...words.split(' ')).config);
const MONARCH = '--task sum_digits --num-steps 20 --num-generators 4 --eval-samples 20 --verbose';

test('the Monarch experiment’s own command says what runs, and the preset that is like it', () => {
  const [algorithm, reward, original, ...more] = linesOf(MONARCH);
  expect(algorithm).toBe(
    'Algorithm: GRPO, advantages over the mean of the group ÷ the standard deviation of the group; a step is 24 problems, 8 answers each.',
  );
  expect(reward).toBe(
    'Reward of sum_digits: strict scoring, reward_rule tag_required (Right number and [ANSWER] tag), step_weight 2.',
  );
  expect(original).toContain('--preset monarch-digits');
  expect(more).toEqual([]);
});

test('its preset runs REINFORCE with a trajectory for each generator, and says which of the two rewards is paid', () => {
  const words = `${MONARCH} --preset monarch-digits`;
  const [algorithm, reward, original] = linesOf(words);
  expect(algorithm).toBe(
    'Algorithm: REINFORCE, advantages over a moving average; a step is one problem from each of 4 generators, 1 answer each.',
  );
  expect(reward).toContain('reward_rule correct_only (Right number, tag or not), step_weight 0.');
  expect(original).toContain('task_config.reward_rule=tag_required');
  const [, code, ofCode] = linesOf(`${words} task_config.reward_rule=tag_required`);
  expect(code).toContain('reward_rule tag_required');
  expect(ofCode).toContain('task_config.reward_rule=correct_only');
});

test('a program of one’s own decides on the reward alone', () => {
  const rows = Array.from({ length: 20 }, (_, i) => ({ question: `${i}`, answer: `${i}` }));
  const grader = { ...GRADER_DEFAULTS.code, source: 'const score = () => 1' };
  setCustomTasks([customTask({ name: 'mine', rows, grader, system: '' })]);
  expect(linesOf('--data mine.jsonl --score score.ts')[1]).toBe('Reward of own:mine: what its program says.');
  setCustomTasks([]);
});

test('a model that reads English is shown the worked example of the digit tasks', () => {
  for (const name of ['sum_digits', 'reverse_digits']) {
    const task = findTask(name);
    const [system, question] = task?.messages(task.generate(1, 'train', 0, task.defaults), 'full') ?? [];
    expect(system?.role).toBe('system');
    expect(system?.content).toMatch(/\n\[ANSWER\] \d+$/);
    expect(question?.role).toBe('user');
  }
});

test('a preset says first what it asks in place of its system’s dataset', () => {
  const GIVEN = '--data hub:openai/gsm8k --model org/name';
  const [first] = linesOf('--preset tinker-rl-basic');
  expect(first).toBe(
    `This run asks tinker_arithmetic, and not GSM8K as Tinker cookbook, rl_basic does: that takes its rows and a model that reads English, ${GIVEN}.`,
  );
  const words = `--preset tinker-rl-basic ${GIVEN}`;
  expect(linesOf(words)[0]).toMatch(/^Algorithm: /);
  const { config } = accepted(...words.split(' '));
  expect(config).toMatchObject({
    task: 'gsm8k',
    taskConfig: { format_weight: 0.1 },
    numSteps: 59,
    problemsPerStep: 128,
    rolloutsPerProblem: 16,
    maxTokens: 256,
    learningRate: 4e-5,
    loraRank: 32,
  });
  // Rows with a grader, or under another preset, are a task of the user's own.
  expect(accepted(...words.split(' '), '--grader', 'number').config.task).toBe('own:openai gsm8k');
  expect(accepted(...GIVEN.split(' ')).config.task).toBe('own:openai gsm8k');
});

test('the cookbook’s own file asks what its recipe asks, where rows are given', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cookbook-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'config.json');
  const given = ['--config', path, '--data', 'hub:openai/gsm8k', '--model', 'org/name'];
  const configOf = (file: object, ...more: string[]) => {
    writeFileSync(path, JSON.stringify(file));
    return accepted(...given, ...more).config;
  };
  const builder = { batch_size: 128, group_size: 16, convo_prefix: 'standard', seed: 0 };
  const basic = { recipe_name: 'recipe_rl_basic', model_name: 'a/b', learning_rate: 4e-5, max_tokens: 256 };
  const whole = { ...basic, eval_every: 0, dataset_builder: builder };
  const withPreset = accepted('--preset', 'tinker-rl-basic', ...given.slice(2)).config;
  expect(configOf(whole)).toEqual({
    ...withPreset,
    taskConfig: { ...withPreset.taskConfig, few_shot: true },
  });
  expect(runLines(configOf(whole))[0]).toMatch(/^Algorithm: /);
  const bare = configOf({ ...whole, dataset_builder: { ...builder, convo_prefix: null } });
  expect(bare.taskConfig).toEqual({ ...withPreset.taskConfig, few_shot: false });
  const other = configOf({ ...whole, dataset_builder: { ...builder, convo_prefix: [{ role: 'user' }] } });
  expect(other).toMatchObject({ task: 'gsm8k', taskConfig: { few_shot: true } });
  // rl_loop has no builder; the builder of its addition has no worked example.
  const loop = { base_url: null, model_name: 'a/b', batch_size: 128, group_size: 16, log_path: '/x' };
  expect(configOf(loop)).toMatchObject({ task: 'gsm8k', preset: 'tinker-rl-loop' });
  const addition = { ...basic, dataset_builder: { batch_size: 8, group_size: 4, n_batches: 9 } };
  expect(configOf(addition)).toMatchObject({ task: 'own:openai gsm8k', preset: 'tinker-rl-basic' });
  expect(configOf(whole, '--grader', 'number').task).toBe('own:openai gsm8k');
  expect(configOf({ ...whole, env: 'tinker_arithmetic' }).task).toBe('tinker_arithmetic');
  expect(configOf(whole, '--task', 'tinker_arithmetic').task).toBe('tinker_arithmetic');
});

test('a file of TRL’s trainer asks the rows that are given beside it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trl-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'grpo.yaml');
  const text =
    'model_name_or_path: a/b\ndataset_name: some/rows\nreward_funcs: accuracy_reward\nmax_steps: 5\n';
  const words = ['--config', path, '--data', 'rows.jsonl', '--model', 'a/b'];
  writeFileSync(path, text);
  const { config } = accepted(...words);
  expect(config).toMatchObject({ task: 'own:rows', maxTokens: 512, numSteps: 5 });
  expect(runLines(config)[0]).toMatch(/; a step is 1 problem, 8 answers each\.$/);
  writeFileSync(path, `${text}task: gsm8k\n`);
  expect(accepted(...words).config.task).toBe('gsm8k');
});

test('parts of a mixture have a line each', () => {
  const lines = linesOf('mixture=[{"task":"gcd","weight":1},{"task":"rpn_arithmetic","weight":1}]');
  expect(lines.slice(1).map((line) => line.split(':')[0])).toEqual([
    'Reward of gcd',
    'Reward of rpn_arithmetic',
  ]);
});
