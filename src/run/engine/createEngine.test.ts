/** What an opened engine has besides its calls: words, tasks, settings, and the model that it has made. */
import { expect, test } from 'vitest';
import { loadModel } from '../../hub/load.ts';
import { filesInMemory } from '../../hub/sources.ts';
import type { SampledCompletion } from '../../rollout/types.ts';
import { taskByName } from '../../tasks/index.ts';
import type { Problem } from '../../tasks/types.ts';
import { worstDifference } from '../../testing/accuracy.ts';
import { engineBatch } from '../../testing/engineBatch.ts';
import { tinyEngines } from '../../testing/tinyEngine.ts';
import type { EngineOptions, OpenEngine } from './createEngine.ts';
import { modelFiles } from '../checkpoint/modelFiles.ts';

const engines = tinyEngines();
const { open } = engines;

test('a task asks as the model is asked, and scores what its renderer reads', async () => {
  const { task, renderer, tokenizer } = await open({ settings: { seed: 7 } });
  const reversed = task('reverse_digits');
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
  const task = (await open()).task('reverse_digits');
  const asked = new Set(Array.from({ length: 100 }, (_, i) => task.problem(i).question));
  const heldOut = Array.from({ length: 100 }, (_, i) => task.problem(i, 'eval').question);
  expect(heldOut.filter((question) => asked.has(question))).toEqual([]);
});

test('the settings of a task are its own, those of its first run with the model of that, or those given', async () => {
  const words = taskByName('spell_backward');
  const { starter } = words;
  if (starter === null) throw new Error('The task has no first run.');
  expect((await open()).task('spell_backward').config).toEqual(words.defaults);
  const named = await open({ model: { ...engines.model(), name: starter.model } });
  expect(named.task('spell_backward').config).toEqual({ ...words.defaults, ...starter.config });
  const [field = ''] = Object.keys(starter.config);
  const value = words.defaults[field];
  expect(value).toBeDefined();
  expect(named.task('spell_backward', {}).config).toEqual(words.defaults);
});

test('without stop strings of the request, those of the renderer end an answer', async () => {
  const asked: unknown[] = [];
  const { createLocalPool } = await import('../../rollout/localPool.ts');
  const { engine, renderer } = await open({
    renderer: 'role_colon',
    createPool: (generator) => {
      const pool = createLocalPool(generator);
      return {
        ...pool,
        generate: (requests, sampling) => {
          asked.push(sampling.stop);
          return pool.generate(requests, sampling);
        },
      };
    },
  });
  const requests = [{ promptIds: [3, 4, 5], samples: 1, seed: 0, step: 0, problem: 0 }];
  await engine.sample(requests, { maxTokens: 2 });
  await engine.sample(requests, { maxTokens: 2, stop: ['7'] });
  expect(renderer.stopStrings).not.toEqual([]);
  expect(asked).toEqual([renderer.stopStrings, ['7']]);
});

test.each<NonNullable<EngineOptions['settings']>>([
  {},
  { loraRank: 2, loraAlpha: 4 },
  { loraRank: 3, loraTargets: ['up_proj', 'lm_head'] },
])('the trained model, and what its files hold, open as the same policy: %j', async (settings) => {
  const made = await open({ settings });
  const batch = engineBatch(2);
  await made.engine.forwardBackward(batch, 'ppo');
  await made.engine.optimStep(0.1);
  const policyOf = async ({ engine }: OpenEngine): Promise<number[]> => {
    const { logprobs } = await engine.computeLogprobs(batch);
    return logprobs.flatMap((row) => Array.from(row));
  };
  const wanted = await policyOf(made);
  expect(worstDifference(await policyOf(await open()), wanted)).toBeGreaterThan(0.01);
  const trained = await made.trainedModel();
  const read = await loadModel(filesInMemory('saved', modelFiles(trained)));
  for (const again of [trained, read])
    expect(worstDifference(await policyOf(await open({ model: again })), wanted)).toBeLessThan(1e-5);
});

test('the seed names the draws of first LoRA factors too', async () => {
  const factors = async (seed: number): Promise<Float32Array> => {
    const { engine } = await open({ settings: { loraRank: 2, seed } });
    return (await engine.policy.trainable.pack()).slice();
  };
  expect(await factors(1)).toEqual(await factors(1));
  expect(await factors(1)).not.toEqual(await factors(2));
});

test.each<[options: object, words: string]>([
  [
    { settings: { learningRate: 1 } },
    'There is no engine setting "learningRate"; the settings are: adamBeta1,',
  ],
  [{ settings: { adamBeta1: 2 } }, 'adamBeta1: 2 is'],
  [{ settings: { loraRank: 2.5 } }, 'loraRank: 2.5 is not a whole number'],
  [{ positions: 100_000 }, 'positions is 100000; tiny takes a whole number from 2 to 512'],
  [{ positions: 1 }, 'positions is 1'],
  [{ positions: '64' }, 'positions is "64"'],
  [{ model: 3 }, 'The model is 3; pass what loadModel gave.'],
  [{ modle: 'starter' }, 'There is no option of createEngine "modle"; there are: model,'],
  [{ thinking: 'on' }, 'thinking is "on"; pass true or false.'],
  [{ renderer: 'chatml' }, 'There is no renderer "chatml"; choose one of: auto, chat_template, role_colon.'],
  [{ createPool: 3 }, 'createPool is 3; pass a function that makes generators.'],
])('refuses %j', async (options, words) => {
  await expect(open(options)).rejects.toThrow(words);
});

test('refuses a task and settings of it that do not exist', async () => {
  const { task } = await open();
  expect(() => task('reverse')).toThrow('There is no task named "reverse". Choose one of: sum_digits,');
  expect(() => task('reverse_digits', { colour: 3 })).toThrow('colour: reverse_digits has no such setting');
});

test('a task refuses what is no problem, completion or way to score', async () => {
  const { task } = await open();
  const digits = task('reverse_digits');
  const problem = digits.problem(0);
  expect(() => digits.problem(-1)).toThrow('The problem wanted is number -1; a whole number from 0 up');
  expect(() => digits.problem(1, 'test' as 'eval')).toThrow(
    'There is no split "test"; choose train or eval.',
  );
  expect(() => digits.promptIds(0 as unknown as Problem)).toThrow(
    'The problem is 0; pass what problem(index)',
  );
  expect(() => task(undefined as unknown as string)).toThrow('The task is undefined; pass a name');
  const score = (completions: unknown, mode?: unknown) =>
    digits.score(problem, completions as SampledCompletion[], mode as 'strict');
  await expect(score(undefined)).rejects.toThrow('The completions are undefined; pass a list');
  await expect(score([[3, 4]])).rejects.toThrow('Completion 0 is a list of 2 without tokens or stopReason');
  await expect(score([{ tokens: [3] }])).rejects.toThrow('Completion 0 is an object without tokens or');
  await expect(score([{ tokens: [3], stopReason: 'eos' }], 'loose')).rejects.toThrow(
    'There is no scoring mode "loose"; choose one of: strict, upstream.',
  );
});
