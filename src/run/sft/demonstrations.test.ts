import { expect, test } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { taskByName } from '@rl-playground/tasks/parts';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { createRenderer } from '@rl-playground/engine/parts';
import { heldOutProblems, taskMix } from '../loop/taskMix.ts';
import { demonstrationSequence, demonstrationStream } from './demonstrations.ts';

test.each(['sum_digits', 'reverse_digits'])(
  'a demonstration of %s is its prompt, a demonstrated answer and one end token',
  async (name) => {
    const { tokenizer } = await tinyStarter(starterInNode());
    const task = taskByName(name);
    const texts = Array.from({ length: 30 }, (_, index) => {
      const sequence = demonstrationSequence(task, task.defaults, tokenizer, 'compact', 3, index);
      expect(demonstrationSequence(task, task.defaults, tokenizer, 'compact', 3, index)).toEqual(sequence);
      const problem = task.generate(3, 'train', index, task.defaults);
      expect(sequence.promptIds).toEqual(tokenizer.promptIds(task.messages(problem, 'compact')));
      expect(sequence.tokens.indexOf(tokenizer.eosTokenId)).toBe(sequence.tokens.length - 1);
      expect(sequence.samplerLogprobs).toHaveLength(sequence.tokens.length);
      return tokenizer.decode(sequence.tokens);
    });
    // Imperfect on purpose: some of thirty have the tag and some have not.
    const tagged = texts.filter((text) => text.includes('[ANSWER]')).length;
    expect(tagged).toBeGreaterThan(0);
    expect(tagged).toBeLessThan(30);
    const perfect = task.demonstration(task.generate(3, 'train', 0, task.defaults), drawsFor(1));
    expect(tokenizer.decode(tokenizer.encode(perfect))).toBe(perfect);
  },
);

test('demonstrations of a mixture come from all of its tasks, end as the renderer ends, and are no evaluation problems', async () => {
  const { tokenizer } = await tinyStarter(starterInNode());
  const renderer = createRenderer('auto', { tokenizer, stopTokenIds: [tokenizer.eosTokenId] });
  const part = (task: string, weight: number) => ({ task, weight, config: {} });
  const tasks = taskMix({
    task: 'mixture',
    taskConfig: {},
    mixture: [part('sum_digits', 3), part('reverse_digits', 1)],
  });
  const heldOut = new Set(
    heldOutProblems(tasks, 400).map(({ problem }) =>
      tokenizer.promptIds([{ role: 'user', content: problem.compact }]).join(),
    ),
  );
  const stream = (maxTokens: number) =>
    demonstrationStream({ config: { seed: 7, maxTokens }, tasks, renderer, promptStyle: 'compact' });
  const shown = Array.from({ length: 400 }, (_, index) => stream(200)(index));
  const prompts = shown.map(({ promptIds }) => promptIds.join());
  expect(prompts.filter((prompt) => heldOut.has(prompt))).toEqual([]);
  const sums = shown.filter(({ promptIds }) => tokenizer.decode(promptIds).startsWith('sum')).length;
  // Four standard deviations of three quarters of 400 are 35.
  expect(Math.abs(sums - 300)).toBeLessThan(35);
  for (const { tokens } of shown) expect(tokens.indexOf(tokenizer.eosTokenId)).toBe(tokens.length - 1);
  expect(stream(200)(7)).toEqual(shown[7]);
  const cut = stream(5)(7);
  expect(cut.tokens).toEqual(shown[7]?.tokens.slice(0, 5));
  expect(cut.samplerLogprobs).toHaveLength(5);
});
