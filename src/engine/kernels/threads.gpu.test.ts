/** Every op on two threads of the wasm backend, which only a browser has, gives the bits that it gives on one. */
import { expect, test } from 'vitest';
import { hostMemory, type HostMemory } from '../backend/host.ts';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { adamwStep } from './adamwStep/adamwStep.ts';
import { cacheAttention } from './cacheAttention/cacheAttention.ts';
import { bitDifference } from './testing/compare.ts';
import { randomFrozen } from './testing/frozen.ts';
import { freshInputs, withSeed, type RandomInputs } from './testing/random.ts';
import { addColumnSums } from './columnSums/columnSums.ts';
import { embedding, embeddingGradient } from './embedding/embedding.ts';
import type { FrozenFormat } from './frozenMatrix/frozenMatrix.ts';
import { gatedUnit, gatedUnitGradient } from './gatedUnit/gatedUnit.ts';
import { gemm, gemmInto } from './gemm/gemm.ts';
import { rotateHeads, rotateHeadsGradient } from './headRotation/headRotation.ts';
import { mergeColumns } from './mergeColumns/mergeColumns.ts';
import { rmsNorm, rmsNormGradient } from './rmsNorm/rmsNorm.ts';
import { selfAttention, selfAttentionGradient } from './selfAttention/selfAttention.ts';
import { squaredNorm } from './squaredNorm/squaredNorm.ts';
import { tokenLogprobs, tokenLogprobsGradient } from './tokenLogprobs/tokenLogprobs.ts';

await startBackend('wasm', { wasmPath: '/wasm/', threads: 2 });

const ROWS = 1300;
const WIDTH = 72;
const HEADS = { heads: 4, kvHeads: 2, headDim: 18 };
const QKV = (HEADS.heads + 2 * HEADS.kvHeads) * HEADS.headDim;
const EPSILON = 1e-5;

const whole = (tensor: tf.Tensor) => ({ tensor, offset: 0, shape: tensor.shape });

/** The inputs of the ops. They are made anew from the seed for each run, because some ops write into them. */
function inputs(random: RandomInputs) {
  const matrix = (rows: number, columns: number) =>
    tf.tensor2d(random.floats(rows * columns), [rows, columns]);
  return {
    matrix,
    frozen: (format: FrozenFormat, rows: number, columns: number) =>
      randomFrozen(random, format, [rows, columns]).matrix,
    vector: (size: number) => tf.tensor1d(random.floats(size)),
    ids: (size: number, below: number) => tf.tensor1d(random.ints(size, below), 'int32'),
    x: matrix(ROWS, WIDTH),
    qkv: matrix(ROWS, QKV),
    gamma: tf.tensor1d(random.floats(WIDTH)),
  };
}
type Given = ReturnType<typeof inputs>;

const rotation = ({ ids, matrix }: Given) => ({
  positions: ids(ROWS, 50),
  cosines: matrix(50, HEADS.headDim / 2),
  sines: matrix(50, HEADS.headDim / 2),
});

/** Each op with all that it writes. */
const OPS: Readonly<Record<string, (given: Given) => tf.Tensor[]>> = {
  'gemm nn': ({ x, matrix, vector }) => [
    gemm(x, matrix(WIDTH, 100), 'nn', { bias: vector(100), residual: matrix(ROWS, 100) }),
  ],
  'gemm nt': ({ x, matrix }) => [gemm(x, matrix(101, WIDTH), 'nt')],
  'gemm tn': ({ x, matrix }) => [gemm(x, matrix(ROWS, 100), 'tn')],
  'gemm nt with q8_0': ({ matrix, frozen }) => [gemm(matrix(ROWS, 96), frozen('q8_0', 101, 96), 'nt')],
  'gemm nn with bf16': ({ x, frozen }) => [gemm(x, frozen('bf16', WIDTH, 100), 'nn')],
  gemmInto: ({ x, matrix }) => {
    const target = matrix(WIDTH, 90);
    gemmInto(whole(target), x, matrix(ROWS, 90), 'tn');
    return [target];
  },
  mergeColumns: ({ matrix }) => {
    const merged = matrix(ROWS, 100);
    const product = { left: matrix(WIDTH, ROWS), right: matrix(WIDTH, 90), column: 7, scale: 0.5 };
    mergeColumns(whole(merged), matrix(ROWS, 100), 0, product);
    return [merged];
  },
  rmsNorm: ({ x, gamma }) => [rmsNorm(x, gamma, EPSILON)],
  'rmsNorm gradient': ({ x, gamma, matrix, vector }) => {
    const gammaGradient = vector(WIDTH);
    const dy = matrix(ROWS, WIDTH);
    return [rmsNormGradient({ x, gamma, dy, residual: x }, EPSILON, whole(gammaGradient)), gammaGradient];
  },
  headRotation: (given) => {
    const norms = { query: given.vector(HEADS.headDim), key: given.vector(HEADS.headDim) };
    return [rotateHeads(given.qkv, rotation(given), norms, { ...HEADS, epsilon: EPSILON })];
  },
  'headRotation gradient': (given) => {
    const [query, key, dQuery, dKey] = [1, 2, 3, 4].map(() => given.vector(HEADS.headDim)) as [
      tf.Tensor,
      tf.Tensor,
      tf.Tensor,
      tf.Tensor,
    ];
    const norms = { query, key, gradients: { query: whole(dQuery), key: whole(dKey) } };
    const pair = { qkv: given.qkv, dy: given.matrix(ROWS, QKV) };
    return [rotateHeadsGradient(pair, rotation(given), norms, { ...HEADS, epsilon: EPSILON }), dQuery, dKey];
  },
  columnSums: ({ x, vector }) => {
    const target = vector(WIDTH);
    addColumnSums(whole(target), x);
    return [target];
  },
  embedding: ({ x, ids }) => [embedding(x, ids(3000, ROWS))],
  'embedding gradient': ({ x, ids, matrix }) => {
    const target = matrix(40, WIDTH);
    embeddingGradient(x, ids(ROWS, 40), whole(target));
    return [target];
  },
  'squaredNorm and adamwStep': ({ vector }) => {
    const size = 150_001;
    const pools = { parameters: vector(size), gradients: vector(size), m: vector(size), v: tf.ones([size]) };
    const norm = squaredNorm(pools.gradients);
    const betas = { beta1: 0.9, beta2: 0.99, correction1: 0.1, correction2: 0.01 };
    const settings = { learningRate: 0.01, epsilon: 1e-8, weightDecay: 0.1, decayedLength: 64, clipNorm: 1 };
    adamwStep({ ...pools, squaredNorm: norm }, { ...settings, ...betas });
    return [norm, ...Object.values(pools)];
  },
  selfAttention: ({ qkv }) => {
    const { mixed, logSumExp } = selfAttention(qkv, { ...HEADS, batch: 26, length: 50 });
    return [mixed, logSumExp];
  },
  'selfAttention gradient': ({ qkv, matrix }) => {
    const shape = { ...HEADS, batch: 26, length: 50 };
    const dy = matrix(ROWS, HEADS.heads * HEADS.headDim);
    return [selfAttentionGradient({ qkv, ...selfAttention(qkv, shape), dy }, shape)];
  },
  cacheAttention: ({ qkv, ids, vector }) => {
    const capacity = 20;
    const cache = () =>
      tf.reshape(vector(ROWS * capacity * HEADS.kvHeads * HEADS.headDim), [ROWS, capacity, -1]);
    const [keys, values] = [cache(), cache()];
    const step = { qkv, slots: tf.range(0, ROWS, 1, 'int32'), positions: ids(ROWS, capacity) };
    return [cacheAttention(step, { keys, values }, HEADS), keys, values];
  },
  gatedUnit: ({ qkv }) => [gatedUnit(qkv)],
  'gatedUnit gradient': ({ qkv, matrix }) => [gatedUnitGradient(qkv, matrix(ROWS, QKV / 2))],
  tokenLogprobs: ({ x, ids, matrix }) => {
    const { logprob, entropy } = tokenLogprobs(x, matrix(300, WIDTH), ids(ROWS, 300), 1.5);
    return [logprob, entropy];
  },
  'tokenLogprobs gradient': ({ x, ids, matrix, vector }) => {
    const [head, headGradient] = [matrix(300, WIDTH), matrix(300, WIDTH)];
    const given = {
      hidden: x,
      head,
      targets: ids(ROWS, 300),
      dlogprob: vector(ROWS),
      dentropy: vector(ROWS),
    };
    const { dhidden } = tokenLogprobsGradient(given, 1.5, { head: whole(headGradient) });
    return [dhidden, headGradient];
  },
};

/** Runs `body` with kernels on the calling thread alone. */
function alone<T>(memory: HostMemory, body: () => T): T {
  const before = { ...memory };
  const onCaller: HostMemory['parallel'] = (kernel, items, _grain, ...args) => {
    memory.call(kernel, 0, items, ...args);
  };
  Object.assign(memory, { parallel: onCaller });
  try {
    return body();
  } finally {
    Object.assign(memory, before);
  }
}

for (const [name, op] of Object.entries(OPS)) {
  test(`${name}: two threads give the same bits as one`, async () => {
    const memory = hostMemory(tf.backend());
    expect(memory.threads).toBe(2);
    const { seed } = freshInputs();
    const single = alone(memory, () => op(inputs(withSeed(seed))));
    const shared = op(inputs(withSeed(seed)));
    expect(shared).toHaveLength(single.length);
    for (const [i, tensor] of shared.entries()) {
      expect(await bitDifference(`${name}, output ${i}`, tensor, single[i] as tf.Tensor, seed)).toBeNull();
    }
  });
}

test('a product and the sum it goes into are rounded once where the hardware can, or each', async () => {
  // x² = 1 + 2⁻¹¹ + 2⁻²⁴, of which a float keeps all but the last.
  const x = 1 + 2 ** -12;
  const sum = gemm(tf.tensor2d([[-(1 + 2 ** -11), x]]), tf.tensor2d([[1], [x]]), 'nn');
  const [value = NaN] = await sum.data();
  expect([2 ** -24, 0]).toContain(value);
});
