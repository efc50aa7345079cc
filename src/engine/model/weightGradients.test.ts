/** Gradients of all weights against those of Hugging Face's libraries, in float64. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { filesInFolder } from '../hub/filesInNode.ts';
import { relativeError } from '../testing/accuracy.ts';
import { openFolder, POSITIONS, valuesIn } from '../testing/frozenModels.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { LanguageModel } from './languageModel.ts';
import { widened } from './storedWeights.ts';
import { ModelWeights } from './weights.ts';

const TOLERANCE = 1e-3;
const breathe = (): Promise<void> => Promise.resolve();

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

describeShared('gradients of all weights on wasm', 'refdata/hf', (root) => {
  const names = root === '' ? [] : readdirSync(root).filter((name) => /^(qwen3|gemma3(-v4)?)$/.test(name));
  test.each(names)('%s', async (name) => {
    const { config, weights, expected, sequences } = await openFolder(filesInFolder(join(root, name), name));
    const pool = ModelWeights.fromHuggingFace(config, await widened(weights));
    const model = new LanguageModel(pool, POSITIONS);
    const gradients = pool.newGradients();
    const count = sequences.reduce((sum, ids) => sum + ids.length - 1, 0);
    for (const sequence of sequences) {
      const length = sequence.length - 1;
      const [ids, targets] = [
        Int32Array.from(sequence.subarray(0, length)),
        Int32Array.from(sequence.subarray(1)),
      ];
      const state = await model.forward({ batch: 1, length, ids, targets }, breathe);
      const upstream = { logprob: tf.fill([length], -1 / count), entropy: tf.zeros([length]) };
      await model.backward(state, upstream, 1, gradients, breathe);
      model.release(state);
      tf.dispose([upstream.logprob, upstream.entropy]);
    }
    const found = await gradients.toHuggingFace();
    gradients.dispose();
    model.dispose();
    expect([...expected.keys()].filter((key) => key.startsWith('grad/'))).toHaveLength(found.size);
    const off = [...found].filter(
      ([parameter, { data }]) => relativeError(data, valuesIn(expected, `grad/${parameter}`)) > TOLERANCE,
    );
    expect(off.map(([parameter]) => parameter)).toEqual([]);
  });
});
