/** A task of one's own loop on an engine: how it asks, scores, and refuses. */
import { expect, test } from 'vitest';
import type { SampledCompletion } from '@rl-playground/engine/parts';
import { taskByName, taskFor, type Problem } from '@rl-playground/tasks/parts';
import { tinyEngines } from '@rl-playground/engine/testing/tinyEngine';

const engines = tinyEngines();
const { open } = engines;

test('a task asks as the model is asked, and scores what its renderer reads', async () => {
  const opened = await open({ settings: { seed: 7 } });
  const { renderer, tokenizer } = opened;
  const reversed = taskFor(opened, 'reverse_digits');
  const problem = reversed.problem(3);
  expect(problem).toEqual(taskByName('reverse_digits').generate(7, 'train', 3, reversed.config));
  expect(reversed.messages(problem)).toEqual([{ role: 'user', content: problem.compact }]);
  expect(tokenizer.decode(reversed.promptIds(problem))).toContain(problem.compact);

  const right = renderer.answerIds(taskByName('reverse_digits').workedAnswer(problem));
  const wrong = renderer.answerIds('no idea');
  const rewards = await reversed.score(problem, [
    { tokens: right, stopReason: 'eos' },
    { tokens: wrong, stopReason: 'eos' },
  ]);
  expect(rewards.map(({ correct }) => correct)).toEqual([true, false]);
  expect(rewards[0]?.total).toBeGreaterThan(rewards[1]?.total ?? NaN);
});

test('problems for training and for evaluation never meet', async () => {
  const task = taskFor(await open(), 'reverse_digits');
  const asked = new Set(Array.from({ length: 100 }, (_, i) => task.problem(i).question));
  const heldOut = Array.from({ length: 100 }, (_, i) => task.problem(i, 'eval').question);
  expect(heldOut.filter((question) => asked.has(question))).toEqual([]);
});

test('the settings of a task are its own, those of its first run with the model of that, or those given', async () => {
  const words = taskByName('spell_backward');
  const { starter } = words;
  if (starter === null) throw new Error('The task has no first run.');
  expect(taskFor(await open(), 'spell_backward').config).toEqual(words.defaults);
  const named = await open({ model: { ...engines.model(), name: starter.model } });
  expect(taskFor(named, 'spell_backward').config).toEqual({ ...words.defaults, ...starter.config });
  const [field = ''] = Object.keys(starter.config);
  const value = words.defaults[field];
  expect(value).toBeDefined();
  expect(taskFor(named, 'spell_backward', {}).config).toEqual(words.defaults);
});

test('refuses a task and settings of it that do not exist', async () => {
  const opened = await open();
  expect(() => taskFor(opened, 'reverse')).toThrow(
    'There is no task named "reverse". Choose one of: sum_digits,',
  );
  expect(() => taskFor(opened, 'reverse_digits', { colour: 3 })).toThrow(
    'colour: reverse_digits has no such setting',
  );
});

test('a task refuses what is no problem, completion or way to score', async () => {
  const opened = await open();
  const digits = taskFor(opened, 'reverse_digits');
  const problem = digits.problem(0);
  expect(() => digits.problem(-1)).toThrow('The problem wanted is number -1; a whole number from 0 up');
  expect(() => digits.problem(1, 'test' as 'eval')).toThrow(
    'There is no split "test"; choose train or eval.',
  );
  expect(() => digits.promptIds(0 as unknown as Problem)).toThrow(
    'The problem is 0; pass what problem(index)',
  );
  expect(() => taskFor(opened, undefined as unknown as string)).toThrow('The task is undefined; pass a name');
  const score = (completions: unknown, mode?: unknown) =>
    digits.score(problem, completions as SampledCompletion[], mode as 'strict');
  await expect(score(undefined)).rejects.toThrow('The completions are undefined; pass a list');
  await expect(score([[3, 4]])).rejects.toThrow('Completion 0 is a list of 2 without tokens or stopReason');
  await expect(score([{ tokens: [3] }])).rejects.toThrow('Completion 0 is an object without tokens or');
  await expect(score([{ tokens: [3], stopReason: 'eos' }], 'loose')).rejects.toThrow(
    'There is no scoring mode "loose"; choose one of: strict, upstream.',
  );
});
