import { beforeAll, describe, expect, test } from 'vitest';
import { defaultConfig } from '../../config/presets.ts';
import { createRenderer } from '../../hub/renderers.ts';
import type { LoadedModel } from '../../hub/types.ts';
import { sumDigits } from '../../tasks/sumDigits.ts';
import { samplerOf, scriptedPool, type Script } from '../../testing/scriptedPool.ts';
import { starterInNode } from '../../testing/starterFolder.ts';
import { tinyStarter } from '../../testing/tinyStarter.ts';
import { taskMix } from './taskMix.ts';
import { evaluate } from './evaluate.ts';

let model: LoadedModel;
beforeAll(async () => {
  model = await tinyStarter(starterInNode());
});

const SETTINGS = {
  samples: 4,
  temperature: 0.5,
  maxTokens: 96,
  seed: 8,
  scoring: 'strict',
} as const;
const answerOf = (index: number): string => sumDigits.generate(0, 'eval', index, sumDigits.defaults).answer;

async function run(script: Script, settings: Partial<typeof SETTINGS> = {}) {
  const pool = scriptedPool(model.tokenizer, script);
  let clock = 0;
  const result = await evaluate(
    {
      tasks: taskMix(defaultConfig('sum_digits')),
      renderer: createRenderer('auto', model),
      promptStyle: 'compact',
      engine: samplerOf(pool),
      now: () => (clock += 1500),
    },
    { ...SETTINGS, ...settings },
    7,
  );
  return { result, pool };
}

describe('evaluate', () => {
  test('counts right and tagged answers: 3 of 4 right, 2 of 4 tagged', async () => {
    const { result } = await run(({ problem }) => {
      const right = answerOf(problem);
      return [`[ANSWER] ${right}`, `Answer: ${right}`, `1 + 2 = ${right}`, '[ANSWER] 99999'][problem] ?? null;
    });
    const { samples, ...rest } = result;
    expect(rest).toEqual({
      step: 7,
      accuracy: 0.75,
      format: 0.5,
      n: 4,
      tasks: [],
      temperature: 0.5,
      seconds: 1.5,
    });
    expect(samples.map(({ correct, format }) => [correct, format])).toEqual([
      [true, true],
      [true, false],
      [true, false],
      [false, true],
    ]);
    expect(samples[3]).toMatchObject({ answer: answerOf(3), extracted: '99999', text: '[ANSWER] 99999' });
  });

  test('asks the first held-out problems once each, whatever the seed, with the settings given', async () => {
    const { pool } = await run(() => '1');
    const [{ requests, sampling } = { requests: [], sampling: null }] = pool.asked;
    expect(sampling).toEqual({ temperature: 0.5, topP: 1, topK: 0, maxTokens: 96, stop: [] });
    expect(requests.map(({ problem, samples, seed }) => [problem, samples, seed])).toEqual([
      [0, 1, 8],
      [1, 1, 8],
      [2, 1, 8],
      [3, 1, 8],
    ]);
    requests.forEach(({ promptIds }, i) => {
      const messages = sumDigits.messages(sumDigits.generate(0, 'eval', i, sumDigits.defaults), 'compact');
      expect(promptIds).toEqual(model.tokenizer.promptIds(messages));
    });
    const steps = new Set(requests.map(({ step }) => step));
    expect(steps.size).toBe(1);
    // No training step can have that number, so no draw is shared with training.
    expect(Math.min(...steps)).toBeGreaterThan(100_000);
  });

  test('a failed answer ends the evaluation with its number and its reason', async () => {
    await expect(run(({ problem }) => (problem === 2 ? null : '1'))).rejects.toThrow(
      'Problem 3 of the evaluation got no answer: out of order',
    );
  });
});
