/** The prompts of an evaluation, made again from its record, against those that it asked. */
import { expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { loadModel, type LoadedModel } from '@rl-playground/engine/parts';
import { evaluate, type EvaluationSubject } from './evaluate.ts';
import { evaluationMix } from './taskMix.ts';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { heldOutPrompt, rendererOf, type HeldOutQuestion } from './prompts.ts';

const SAMPLES = 7;

interface Asked {
  readonly promptIds: readonly number[];
  readonly recorded: HeldOutQuestion;
}

/** Prompts that an evaluation hands to its generators, each with what its record says. */
async function askedBy(config: RunConfig, model: LoadedModel): Promise<Asked[]> {
  const prompts: (readonly number[])[] = [];
  const sample: EvaluationSubject['engine']['sample'] = (requests) => {
    if (prompts.length === 0) prompts.push(...requests.map(({ promptIds }) => promptIds));
    const answer = { tokens: [0], logprobs: [0], stopReason: 'max_tokens' } as const;
    return Promise.resolve(
      requests.map(() => ({ completions: [answer], policyVersion: 0, began: 0, ended: 0 })),
    );
  };
  const { samples } = await evaluate(
    {
      tasks: evaluationMix(config),
      renderer: rendererOf(config, model),
      promptStyle: model.promptStyle,
      engine: { sample },
      now: () => 0,
    },
    { ...config, samples: SAMPLES, temperature: 1, passAtK: 0, levelSamples: 0 },
    0,
  );
  return samples.map(({ task, question }, index) => ({
    promptIds: prompts[index] ?? [],
    recorded: { task, question },
  }));
}

const mixture = [
  { task: 'sum_digits', weight: 2, config: {} },
  { task: 'reverse_digits', weight: 1, config: {} },
];

test.each<[string, RunConfig]>([
  ['one task', defaultConfig('reverse_digits')],
  ['a mixture', { ...defaultConfig('sum_digits'), task: 'mixture', mixture }],
  ['other tasks than it trains', { ...defaultConfig('sum_digits'), evalMixture: mixture }],
])('of an evaluation of %s', async (_, config) => {
  const model = await loadModel(starterInNode());
  const asked = await askedBy(config, model);
  expect(asked).toHaveLength(SAMPLES);
  for (const { promptIds, recorded } of asked)
    expect(heldOutPrompt(config, model, recorded)).toEqual(promptIds);
});

test('a problem that is not held out any more is refused', async () => {
  const model = await loadModel(starterInNode());
  const [first] = await askedBy(defaultConfig('reverse_digits'), model);
  if (first === undefined) throw new Error('The evaluation asked nothing.');
  for (const change of [{ question: 'reverse 1' }, { task: 'sum_digits' }])
    expect(() =>
      heldOutPrompt(defaultConfig('reverse_digits'), model, { ...first.recorded, ...change }),
    ).toThrow('is no longer among the held-out ones');
});
