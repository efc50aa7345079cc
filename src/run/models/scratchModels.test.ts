import { describe, expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { parameterCount, widened } from '@rl-playground/engine/parts';
import { isScratchModel, makeScratchModel, scratchKey } from './scratchModels.ts';

const CONFIG = defaultConfig('rpn_arithmetic');
const changed = (changes: Partial<RunConfig>): RunConfig => ({ ...CONFIG, ...changes });

describe('rpn-scratch', () => {
  test('is what the task begins with, in its own vocabulary', async () => {
    expect(CONFIG.model).toBe('rpn-scratch');
    expect(isScratchModel('rpn-scratch')).toBe(true);
    expect(isScratchModel('starter')).toBe(false);
    const model = await makeScratchModel(changed({ taskConfig: { p: 5, operators: ['*', '-'] } }));
    expect(model.tokenizer.encode('<boe> 4 0 * = <eoe> <pad> -')).toEqual([8, 4, 0, 5, 7, 9, 10, 6]);
    expect(model.config).toMatchObject({ vocabSize: 11, hiddenSize: 128, layers: 2, heads: 4, mlpSize: 512 });
    // Embedding and head, attention, gated units, norms.
    const block = 4 * 128 * 128 + 3 * 128 * 512 + 2 * 128;
    expect(parameterCount(model.config)).toBe(2 * 11 * 128 + 2 * block + 128);
  });

  test('has a sibling of the shape of simplexity’s decoder', async () => {
    const { config } = await makeScratchModel(changed({ model: 'rlvr-scratch' }));
    expect(config).toMatchObject({ vocabSize: 18, layers: 1, heads: 4, mlp: 'relu', mlpBias: true });
    // 203,904 there: embedding and head, attention, MLP with biases; its 16 x 128 positions are not here, and 3 norms are.
    expect(parameterCount(config)).toBe(2 * 18 * 128 + 4 * 128 * 128 + 2 * 128 * 512 + 640 + 3 * 128);
    expect(parameterCount(config)).toBe(203_904 - 16 * 128 + 3 * 128);
  });

  test('has the weights of its seed', async () => {
    const weights = async (seed: number) =>
      Buffer.concat(
        [...(await widened((await makeScratchModel(changed({ seed }))).weights)).values()].map(
          ({ data }) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
        ),
      );
    const once = await weights(1);
    expect((await weights(1)).equals(once)).toBe(true);
    expect((await weights(2)).equals(once)).toBe(false);
  });

  test('is another one for another seed or vocabulary, and the same for any other setting', () => {
    const key = scratchKey(CONFIG);
    expect(scratchKey(changed({ numSteps: 3, taskConfig: { max_complexity: 5 } }))).toBe(key);
    expect(scratchKey(changed({ seed: 1 }))).not.toBe(key);
    expect(scratchKey(changed({ taskConfig: { p: 7 } }))).not.toBe(key);
    expect(scratchKey(changed({ taskConfig: { operators: ['-'] } }))).not.toBe(key);
  });

  test('is refused to tasks that it has no words for, and to mixtures of several vocabularies', () => {
    const mixture = (...configs: readonly RunConfig['taskConfig'][]) =>
      changed({
        task: 'mixture',
        mixture: configs.map((config) => ({ task: 'rpn_arithmetic', weight: 1, config })),
      });
    expect(() => scratchKey(changed({ task: 'sum_digits', taskConfig: {} }))).toThrow(
      /sum_digits.*rpn_arithmetic/,
    );
    expect(scratchKey(mixture({ max_complexity: 1 }, { max_complexity: 4 }))).toBe(scratchKey(CONFIG));
    expect(() => scratchKey(mixture({ p: 7 }, { p: 5 }))).toThrow('the same p and operators');
    expect(() => scratchKey(changed({ model: 'other' }))).toThrow('no model other');
  });
});
