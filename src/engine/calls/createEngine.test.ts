/** The parts of an opened engine besides its calls: words, tasks, settings, and the model that it has made. */
import { expect, test } from 'vitest';
import { loadModel } from '../hub/load.ts';
import { filesInMemory } from '../hub/sources.ts';
import { worstDifference } from '../testing/accuracy.ts';
import { engineBatch } from '../testing/engineBatch.ts';
import { tinyEngines } from '../testing/tinyEngine.ts';
import type { EngineOptions, OpenEngine } from './createEngine.ts';
import { modelFiles } from '../hub/modelFiles.ts';

const engines = tinyEngines();
const { open } = engines;

test('without stop strings of the request, those of the renderer end an answer', async () => {
  const asked: unknown[] = [];
  const { createLocalPool } = await import('../rollout/localPool.ts');
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
