/** transformers.js as a peer, on onnxruntime's build for the CPU, of which the starter's tokens are known in float64. */
import { expect, test } from 'vitest';
import { filesAtUrl, filesInMemory, loadWeights } from '@rl-playground/engine/parts';
import { referenceLogits } from '@rl-playground/engine/testing/decoderReference';
import { tinyConfigJson, tinyModelFolder } from '@rl-playground/engine/testing/modelFolder';
import { promptsOf } from '../../participants/inputs.ts';
import type { Environment, RolloutWorkload } from '../../types.ts';
import { createTransformers } from './participant.ts';

const ENVIRONMENT: Environment = {
  backend: 'wasm',
  hardware: false,
  wasmPath: '/wasm/',
  onnxPath: `${location.origin}/onnxruntime/`,
  threads: 2,
};
const address = `${location.origin}/models/starter/`;
const ROLLOUTS: RolloutWorkload = {
  kind: 'rollout',
  model: { kind: 'folder', label: 'starter', address },
  groups: 2,
  samples: 2,
  promptLength: 9,
  newTokens: 7,
};

const largest = (values: readonly number[]): number => values.indexOf(Math.max(...values));

test('its greedy tokens are the likeliest in float64, and it can be timed', async () => {
  const peer = await createTransformers(ENVIRONMENT, filesAtUrl);
  const prepared = await peer.prepare(ROLLOUTS);
  const { config, weights } = await loadWeights(filesAtUrl('starter', address));
  const expected = promptsOf(ROLLOUTS, config).flatMap((prompt) => {
    const tokens: number[] = [];
    while (tokens.length < ROLLOUTS.newTokens)
      tokens.push(largest(referenceLogits(config, weights, [...prompt, ...tokens]).at(-1) ?? []));
    return Array.from({ length: ROLLOUTS.samples }, () => tokens).flat();
  });
  expect(Array.from(prepared.check ?? [])).toEqual(expected);
  expect((await prepared.run()).seconds).toBeGreaterThan(0);
  await prepared.dispose();
});

test('an architecture that is not exported makes it unavailable, and the row says why', async () => {
  const gemma = { ...tinyConfigJson, model_type: 'gemma3_text', head_dim: 4 };
  const peer = await createTransformers(ENVIRONMENT, (label) => filesInMemory(label, tinyModelFolder(gemma)));
  await expect(peer.prepare(ROLLOUTS)).rejects.toThrow(
    /^not available: ONNX: this gemma3_text model has .*GeGLU/,
  );
});
