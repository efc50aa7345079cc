/** An engine refuses wrong arguments in plain words, and goes on afterwards as if it had not been asked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { LOSS_NAMES } from '../loss/losses.ts';
import type { GroupRequest } from '../rollout/decoding/types.ts';
import type { WantedSampling } from '../rollout/requests.ts';
import { createEngine, type OpenEngine } from './createEngine.ts';
import { engineBatch } from '../testing/engineBatch.ts';
import { starterInNode } from '../testing/starterFolder.ts';
import { tinyStarter } from '../testing/tinyStarter.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import type { Sequence } from '../loss/sequence.ts';
import type { CustomLoss } from '../loss/customLoss.ts';
import type { NamedLoss } from '../loss/namedLoss.ts';
import type { LossName } from '../loss/lossRows.ts';

let open: OpenEngine;
beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  open = await createEngine({ model: await tinyStarter(starterInNode()), positions: 40 });
});
afterAll(() => open.dispose());

/** Sequence 1 of three changed. */
const withSecond = (change: Partial<Sequence>): Sequence[] =>
  engineBatch(1, 3).map((sequence, i) => (i === 1 ? { ...sequence, ...change } : sequence));
const second = engineBatch(1, 3)[1];
const spoiled = (values: ArrayLike<number> | undefined, value: number): number[] => [
  ...Array.from(values ?? []).slice(0, -1),
  value,
];
const last = (second?.tokens.length ?? NaN) - 1;

/** Returns the norm of the summed gradients and clears them. */
async function gradientNorm(): Promise<number> {
  const gradients = await open.engine.optimizer.gradients.tensor.data<'float32'>();
  const square = gradients.reduce((sum, value) => sum + value * value, 0);
  open.engine.clearGradients();
  return Math.sqrt(square);
}

test.each<[what: string, change: Partial<Sequence>, words: string]>([
  [
    'an advantage',
    { advantages: spoiled(second?.advantages, NaN) },
    `Sequence 1: advantages[${last}] is NaN; it must be`,
  ],
  [
    'a log q',
    { samplerLogprobs: spoiled(second?.samplerLogprobs, -Infinity) },
    `Sequence 1: samplerLogprobs[${last}] is -Inf`,
  ],
  [
    'a token',
    { tokens: spoiled(second?.tokens, 28) },
    `tokens[${last}] is 28; the model's tokens are the whole numbers from 0 to 27`,
  ],
  ['half a token', { promptIds: [1, 2.5] }, 'promptIds[1] is 2.5'],
  [
    'too few advantages',
    { advantages: [1] },
    `Sequence 1 has 1 advantages but ${last + 1} completion tokens`,
  ],
  ['no prompt', { promptIds: [] }, 'Sequence 1 has 0 prompt and'],
  [
    'no completion',
    { tokens: [], advantages: [], samplerLogprobs: [], oldLogprobs: [], referenceLogprobs: [] },
    '0 completion tokens',
  ],
  [
    'too long a sequence',
    { promptIds: Array<number>(40 - last).fill(3) },
    'Sequence 1 has 41 tokens, prompt and completion; the engine was opened for 40 positions',
  ],
])('a sequence with %s that can not be', async (_, change, words) => {
  const sequences = withSecond(change);
  await expect(open.engine.forwardBackward(sequences, 'ppo')).rejects.toThrow(words);
  await expect(open.engine.forwardBackward(sequences, ({ logprob }) => tf.sum(logprob))).rejects.toThrow(
    words,
  );
  expect(await gradientNorm()).toBe(0);
});

test.each<[loss: unknown, words: string]>([
  ['pg', `There is no loss "pg"; choose one of: ${LOSS_NAMES.join(', ')}`],
  [{ loss: 'ppo', epsilon: 0.2 }, 'There is no setting "epsilon" of a loss; the settings are: loss, bounds,'],
  [{ loss: 'ppo', reduction: 'mean' }, 'There is no reduction "mean"; choose one of: sum,'],
  [{ loss: 'ppo', bounds: { low: 1.2, high: 0.8 } }, 'clipped to 1.2 … 0.8'],
  [{ loss: 'dro', droBeta: 0 }, 'droBeta is 0; it must be a number above 0.'],
  [{ loss: 'dro', droBeta: null }, 'droBeta is null; it must be a number above 0.'],
  [{ loss: 'grpo', kl: { estimator: 'k3', beta: NaN } }, 'kl.beta is NaN'],
  [{ loss: 'grpo', kl: { estimator: 'k1', beta: 0.1 } }, 'The expected gradient of k1 as a loss is zero'],
  [{ loss: 'grpo', kl: 0.1 }, 'There is no kl.estimator "undefined"'],
  [{ loss: 'grpo', ratioLevel: 'turn' }, 'There is no ratioLevel "turn"; choose token or sequence.'],
  [{ loss: 'dro', ratioLevel: 'sequence' }, 'The loss "dro" has no ratio of a whole answer'],
  [{ loss: 'grpo', importanceMode: 'answer' }, 'There is no importanceMode "answer"; choose one of: token_t'],
  [{ loss: 'grpo', importanceCap: 1, importanceFloor: 2 }, 'the floor must be below the cap'],
  [{ loss: 'vespo', importanceCap: 2, importanceMode: 'sequence_mask' }, 'importanceMode is "sequence_mask"'],
  [{ loss: 'grpo', kl: { estimator: 'k2', beta: 0.1, biasCorrection: true } }, 'choose k3 as kl.estimator'],
  [{ loss: 'sapo', sapo: { positive: 0, negative: 1 } }, 'sapo.positive is 0; it must be'],
  [{ loss: 'vespo', vespo: { positive: { k: 1, lambda: 1 } } }, 'vespo.negative.lambda is undefined'],
  [{ loss: 'grpo', offPolicyThreshold: 0 }, 'offPolicyThreshold is 0; it must be a number above 0, or null'],
  [{ loss: 'grpo', topEntropyQuantile: 20 }, 'topEntropyQuantile is 20; it is a share'],
  [{ loss: 'grpo', entropyCoef: -1 }, 'entropyCoef is -1; it must be a number from 0 up'],
  [{ loss: 'dro', delta: 4 }, 'delta is 4, but the loss "dro" has no clipped ratio with an open side'],
  [{ loss: 'ppo', bounds: 0.2 }, 'clipped to undefined … undefined'],
  ['dr_grpo', 'pass it as maxLength, in tokens'],
])('the loss %j', async (loss, words) => {
  const asked = loss as LossName | NamedLoss;
  await expect(open.engine.forwardBackward(engineBatch(1), asked)).rejects.toThrow(words);
  expect(await gradientNorm()).toBe(0);
});

test.each<[loss: LossName | NamedLoss, without: readonly (keyof Sequence)[], words: string]>([
  ['reinforce', ['advantages'], 'Sequence 0 has no advantages, which this "reinforce" reads'],
  ['ppo', ['samplerLogprobs', 'oldLogprobs'], 'Sequence 0 has no samplerLogprobs'],
  [{ loss: 'grpo', kl: { estimator: 'k3', beta: 0.1 } }, ['referenceLogprobs'], 'has no referenceLogprobs'],
  [{ loss: 'reinforce', importanceCap: 2 }, ['samplerLogprobs'], 'has no samplerLogprobs'],
])('%j of sequences without %j', async (loss, without, words) => {
  const empty = Object.fromEntries(without.map((name) => [name, []]));
  const sequences = engineBatch(1).map((sequence) => ({ ...sequence, ...empty }));
  await expect(open.engine.forwardBackward(sequences, loss)).rejects.toThrow(words);
});

test('a loss reads no more than it needs', async () => {
  const bare = engineBatch(1).map(({ promptIds, tokens, advantages }) => ({
    promptIds,
    tokens,
    advantages,
    samplerLogprobs: [],
  }));
  await open.engine.forwardBackward(bare, 'reinforce');
  await open.engine.forwardBackward(bare, 'ppo', { ratioToItself: true });
  const tokensOnly = bare.map(({ promptIds, tokens }) => ({ promptIds, tokens: Int32Array.from(tokens) }));
  await open.engine.forwardBackward(tokensOnly as unknown as Sequence[], ({ logprob }) => tf.sum(logprob));
  expect(await gradientNorm()).toBeGreaterThan(0);
});

test('an empty list of old log-probabilities is none', async () => {
  const [sequence] = engineBatch(1);
  if (sequence === undefined) throw new Error('The batch is empty.');
  const { oldLogprobs: _, ...without } = sequence;
  const { loss } = await open.engine.forwardBackward([without], 'importance_sampling');
  const empty = await open.engine.forwardBackward([{ ...sequence, oldLogprobs: [] }], 'importance_sampling');
  expect(empty.loss).toBe(loss);
  await gradientNorm();
});

describe('functions', () => {
  test.each<[what: string, loss: unknown, words: string]>([
    ['gives a tensor', ({ logprob }: { logprob: tf.Tensor }) => logprob, 'returned a tensor of shape [6, '],
    [
      'reads no log-probability',
      ({ mask }: { mask: tf.Tensor }) => tf.sum(mask),
      'does not depend on logprob, so there is nothing to learn from it',
    ],
    ['gives a number', () => 3, 'returned the number 3; it must return a scalar tensor'],
    ['gives nothing', () => undefined, 'returned something else (undefined)'],
    ['is asynchronous', async () => Promise.resolve(tf.scalar(1)), 'returned a promise'],
    [
      'overflows',
      ({ logprob }: { logprob: tf.Tensor }) => tf.exp(tf.mul(tf.sum(logprob), -1e4)),
      'returned Infinity',
    ],
    [
      'has a gradient that is none',
      ({ logprob }: { logprob: tf.Tensor }) => tf.sum(tf.sqrt(tf.sub(logprob, logprob))),
      'derivative by the log-probability of token 0 of sequence 0',
    ],
    [
      'reads what one sequence lacks',
      ({ referenceLogprob }: { referenceLogprob: tf.Tensor }) => tf.sum(referenceLogprob),
      'The loss function reads referenceLogprob, but sequence 2 has no referenceLogprobs; pass one for each',
    ],
    [
      'has no gradient in tfjs',
      ({ logprob }: { logprob: tf.Tensor }) => tf.sum(tf.cumprod(tf.exp(logprob), 1)),
      'gradient function not found for Cumprod',
    ],
    [
      'fails',
      ({ logprob }: { logprob: tf.Tensor }) => {
        tf.exp(tf.square(logprob));
        throw new Error('words of its own');
      },
      'words of its own',
    ],
  ])('one that %s', async (_, loss, words) => {
    const tensors = tf.memory().numTensors;
    const batch = engineBatch(1).map((sequence, i) =>
      i === 2 ? { ...sequence, referenceLogprobs: [] } : sequence,
    );
    await expect(open.engine.forwardBackward(batch, loss as CustomLoss)).rejects.toThrow(words);
    expect(await gradientNorm()).toBe(0);
    // A promise holds the one tensor that its function made.
    expect(tf.memory().numTensors).toBeLessThanOrEqual(tensors + (words.includes('promise') ? 1 : 0));
  });
});

test.each<[request: Partial<GroupRequest>, sampling: Partial<WantedSampling>, words: string]>([
  [{ samples: 0 }, {}, 'Request 0 asks for 0 samples'],
  [{ seed: -1 }, {}, 'Request 0: seed is -1'],
  [{ step: 0.5 }, {}, 'Request 0: step is 0.5'],
  [{ promptIds: [99] }, {}, 'promptIds[0] is 99'],
  [{ promptIds: [] }, {}, 'A prompt has no tokens'],
  [
    { promptIds: Array<number>(33).fill(3) },
    {},
    'a prompt of 33 tokens and maxTokens 8 are more than the 40 positions',
  ],
  [{}, { maxTokens: 0 }, 'maxTokens is 0'],
  [{}, { temperature: -1 }, 'temperature is -1'],
  [{}, { topP: 0 }, 'topP is 0'],
  [{}, { topK: 1.5 }, 'topK is 1.5'],
])('a request %j, %j', async (request, sampling, words) => {
  const whole = { promptIds: [3, 4], samples: 1, seed: 0, step: 0, problem: 0, ...request };
  await expect(open.engine.sample([whole], { maxTokens: 8, ...sampling })).rejects.toThrow(words);
});

test('a learning rate, a temperature and a scale that are none', async () => {
  await expect(open.engine.optimStep(NaN)).rejects.toThrow('The learning rate is NaN');
  await expect(open.engine.optimStep(1e-3, { gradientScale: 0 })).rejects.toThrow('multiplied by 0');
  const batch = engineBatch(1);
  await expect(open.engine.computeLogprobs(batch, 'policy', { temperature: 0 })).rejects.toThrow(
    'is 0; it must be',
  );
  await expect(open.engine.forwardBackward(batch, 'ppo', { temperature: -1 })).rejects.toThrow(
    'is -1; it must be',
  );
});
