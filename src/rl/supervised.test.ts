import { expect, test } from 'vitest';
import { drawsFor } from '../tasks/random.ts';
import { taskByName } from '../tasks/index.ts';
import { starterInNode } from '../testing/starterFolder.ts';
import { tinyStarter } from '../testing/tinyStarter.ts';
import { demonstrationSequence } from './supervised.ts';

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
