import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { opProblems, difference, bitDifference } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { gemmReference, logprobsReference, inRows, transposed } from '../testing/reference.ts';
import { tokenLogprobs, tokenLogprobsAndSlopes, tokenLogprobsGradient } from './tokenLogprobs.ts';

function reference(
  { rows, vocab, width }: { rows: number; vocab: number; width: number },
  targets: Int32Array,
  temperature: number,
): (hidden?: Float64Array, head?: Float64Array) => Float64Array[] {
  return (hidden = new Float64Array(), head = new Float64Array()) =>
    logprobsReference(
      gemmReference({ m: rows, n: vocab, k: width }, inRows(hidden, width), transposed(inRows(head, width))),
      targets,
      temperature,
    );
}

const pair = (hidden: tf.Tensor, head: tf.Tensor, targets: tf.Tensor, temperature: number): tf.Tensor[] => {
  const { logprob, entropy } = tokenLogprobs(hidden, head, targets, temperature);
  return [logprob, entropy];
};

/** Elements beside a slice, which nothing may touch. */
const GUARD = 64;

/** `every`: all shapes, or one odd shape of each variant. */
export function tokenLogprobsSuite(every = true): void {
  describe('tokenLogprobs', () => {
    for (const [rows, vocab, width, temperature] of [
      [1, 2, 1, 1],
      [13, 67, 9, 0.7],
      [5, 1100, 4, 1.5],
    ] as const) {
      if (!every && vocab === 2) continue;
      test(`${rows} rows, vocabulary ${vocab}, T = ${temperature}`, async () => {
        const random = freshInputs();
        const targets = random.ints(rows, vocab);
        const targetsTensor = tf.tensor1d(targets, 'int32');
        expect(
          await opProblems(random, {
            what: 'tokenLogprobs',
            inputs: [
              { name: 'hidden', shape: [rows, width], values: random.floats(rows * width) },
              { name: 'head', shape: [vocab, width], values: random.floats(vocab * width) },
            ],
            reference: reference({ rows, vocab, width }, targets, temperature),
            op: (hidden, head) => pair(hidden as tf.Tensor, head as tf.Tensor, targetsTensor, temperature),
            valueTolerance: 1e-5,
            gradientTolerance: 3e-5,
          }),
        ).toEqual([]);
      });
    }

    test.runIf(every)(
      'more logits than one chunk holds: values, and gradients that are the sum of the parts',
      async () => {
        const random = freshInputs();
        const [rows, vocab, width, cut] = [300, 14_500, 3, 140];
        const targets = random.ints(rows, vocab);
        const hidden = random.floats(rows * width);
        const head = random.floats(vocab * width);
        const targetsTensor = tf.tensor1d(targets, 'int32');
        const inputs = [tf.tensor2d(hidden, [rows, width]), tf.tensor2d(head, [vocab, width])] as const;
        const expected = reference(
          { rows, vocab, width },
          targets,
          1,
        )(Float64Array.from(hidden), Float64Array.from(head));
        const outputs = pair(...inputs, targetsTensor, 1);
        for (const [i, output] of outputs.entries()) {
          expect(
            await difference(`output ${i}`, output, expected[i] ?? new Float64Array(), 1e-5, random.seed),
          ).toBeNull();
        }
        const gradients = (begin: number, size: number): tf.Tensor[] =>
          tf.grads((...xs: tf.Tensor[]) => {
            const [h, e] = xs as [tf.Tensor, tf.Tensor];
            const [logprob, entropy] = pair(
              tf.slice(h, [begin, 0], [size, width]),
              e,
              tf.slice(targetsTensor, begin, size),
              1,
            );
            return tf.add(tf.sum(logprob as tf.Tensor), tf.sum(entropy as tf.Tensor));
          })([...inputs]);
        const whole = gradients(0, rows);
        const parts = [gradients(0, cut), gradients(cut, rows - cut)];
        for (const i of [0, 1]) {
          const sum = tf.addN(parts.map((part) => part[i] as tf.Tensor));
          const values = Float64Array.from(await sum.data());
          expect(
            await difference(`gradient ${i}`, whole[i] as tf.Tensor, values, 1e-4, random.seed),
          ).toBeNull();
        }
      },
    );

    for (const [rows, vocab, width] of [
      [13, 28, 8],
      [70, 61, 7],
      [65, 70_001, 2],
    ] as const) {
      if (!every && vocab !== 61) continue;
      test(`a head of ${vocab} x ${width} in a pool: ${rows} rows, gradient added to its slice`, async () => {
        const random = freshInputs();
        const [hidden, head] = [random.floats(rows * width), random.floats(vocab * width)];
        const targets = tf.tensor1d(random.ints(rows, vocab), 'int32');
        const [h, e] = [tf.tensor2d(hidden, [rows, width]), tf.tensor2d(head, [vocab, width])];
        const [dlogprob, dentropy] = [tf.tensor1d(random.floats(rows)), tf.tensor1d(random.floats(rows))];
        const pool = random.floats(head.length + 2 * GUARD);
        const gradientPool = random.floats(pool.length, 0.1);
        pool.set(head, GUARD);
        const shape = [vocab, width];
        const slice = { tensor: tf.tensor1d(pool), offset: GUARD, shape };
        const target = { tensor: tf.tensor1d(gradientPool), offset: GUARD, shape };
        const { logprob, entropy } = tokenLogprobs(h, slice, targets, 0.8);
        const inputs = { hidden: h, head: slice, targets, dlogprob, dentropy };
        const { dhidden } = tokenLogprobsGradient(inputs, 0.8, { head: target });

        const whole = tokenLogprobs(h, e, targets, 0.8);
        expect(await bitDifference('logprob', logprob, whole.logprob, random.seed)).toBeNull();
        expect(await bitDifference('entropy', entropy, whole.entropy, random.seed)).toBeNull();
        const [dh, de] = tf.grads((...xs: tf.Tensor[]) => {
          const both = tokenLogprobs(xs[0] as tf.Tensor, xs[1] as tf.Tensor, targets, 0.8);
          return tf.add(tf.sum(tf.mul(both.logprob, dlogprob)), tf.sum(tf.mul(both.entropy, dentropy)));
        })([h, e]) as [tf.Tensor, tf.Tensor];
        expect(await bitDifference('d hidden', dhidden, dh, random.seed)).toBeNull();
        const expected = Float64Array.from(gradientPool);
        (await de.data()).forEach((value, i) => (expected[GUARD + i] = (expected[GUARD + i] ?? NaN) + value));
        expect(await difference('pool of gradients', target.tensor, expected, 1e-5, random.seed)).toBeNull();
        for (const range of [0, GUARD + head.length]) {
          const outside = tf.slice(target.tensor, range, GUARD);
          const before = tf.tensor1d(gradientPool.subarray(range, range + GUARD));
          expect(await bitDifference(`beside the slice`, outside, before, random.seed)).toBeNull();
        }
      });
    }

    for (const [rows, vocab, width, temperature] of [
      [13, 67, 9, 0.7],
      [300, 14_500, 3, 1.3],
    ] as const) {
      if (!every && vocab !== 67) continue;
      test(`slopes of ${rows} rows, vocabulary ${vocab}: (E[y] − Σ p·E) / T in float64, and the same values`, async () => {
        const random = freshInputs();
        const [hidden, head] = [random.floats(rows * width), random.floats(vocab * width)];
        const targets = random.ints(rows, vocab);
        const [h, e] = [tf.tensor2d(hidden, [rows, width]), tf.tensor2d(head, [vocab, width])];
        const hits = tf.tensor1d(targets, 'int32');
        const { logprob, entropy, slope } = tokenLogprobsAndSlopes(h, e, hits, temperature);
        const expected = new Float64Array(rows * width);
        for (let row = 0; row < rows; row++) {
          const inner = (token: number): number => {
            let sum = 0;
            for (let i = 0; i < width; i++)
              sum += (hidden[row * width + i] ?? NaN) * (head[token * width + i] ?? NaN);
            return sum;
          };
          const weights = Array.from({ length: vocab }, (_, token) => Math.exp(inner(token) / temperature));
          const sum = weights.reduce((total, weight) => total + weight, 0);
          for (let i = 0; i < width; i++) {
            const mean = weights.reduce(
              (part, p, token) => part + (p / sum) * (head[token * width + i] ?? NaN),
              0,
            );
            const ofTarget = head[(targets[row] ?? NaN) * width + i] ?? NaN;
            expected[row * width + i] = (ofTarget - mean) / temperature;
          }
        }
        expect(await difference('slope', slope, expected, 3e-5, random.seed)).toBeNull();
        const plain = tokenLogprobs(h, e, hits, temperature);
        expect(await bitDifference('logprob', logprob, plain.logprob, random.seed)).toBeNull();
        expect(await bitDifference('entropy', entropy, plain.entropy, random.seed)).toBeNull();
      });
    }

    for (const [rows, vocab, width, rank] of [
      [13, 28, 8, 3],
      [300, 14_500, 3, 2],
    ] as const) {
      if (!every && vocab !== 28) continue;
      test(`a low-rank part of rank ${rank} beside a frozen head of ${vocab} x ${width}: ${rows} rows`, async () => {
        const random = freshInputs();
        const matrix = (...shape: [number, number]) => tf.tensor2d(random.floats(shape[0] * shape[1]), shape);
        const [h, e, u, b] = [
          matrix(rows, width),
          matrix(vocab, width),
          matrix(rows, rank),
          matrix(rank, vocab),
        ];
        const targets = tf.tensor1d(random.ints(rows, vocab), 'int32');
        const [dlogprob, dentropy] = [tf.tensor1d(random.floats(rows)), tf.tensor1d(random.floats(rows))];
        const pool = tf.concat([tf.zeros([GUARD]), tf.reshape(b, [-1]), tf.zeros([GUARD])]);
        const gradientPool = tf.zerosLike(pool);
        const slice = (tensor: tf.Tensor) => ({ tensor, offset: GUARD, shape: b.shape });
        const lowRank = { u, b: slice(pool) };
        const found = tokenLogprobs(h, e, targets, 0.8, lowRank);
        const inputs = { hidden: h, head: e, targets, dlogprob, dentropy, lowRank };
        const { dhidden, du } = tokenLogprobsGradient(inputs, 0.8, { head: null, b: slice(gradientPool) });

        // h·Eᵀ + u·B is one product of what lies side by side.
        const wide = [tf.concat([h, u], 1), tf.concat([e, tf.transpose(b)], 1)] as const;
        const whole = tokenLogprobs(...wide, targets, 0.8);
        const [dwide, dhead] = tf.grads((...xs: tf.Tensor[]) => {
          const both = tokenLogprobs(xs[0] as tf.Tensor, xs[1] as tf.Tensor, targets, 0.8);
          return tf.add(tf.sum(tf.mul(both.logprob, dlogprob)), tf.sum(tf.mul(both.entropy, dentropy)));
        })([...wide]) as [tf.Tensor, tf.Tensor];
        const db = tf.reshape(tf.transpose(tf.slice(dhead, [0, width], [vocab, rank])), [-1]);
        const zeros = tf.zeros([GUARD]);
        const compared: [string, tf.Tensor | null, tf.Tensor][] = [
          ['logprob', found.logprob, whole.logprob],
          ['entropy', found.entropy, whole.entropy],
          ['d hidden', dhidden, tf.slice(dwide, [0, 0], [rows, width])],
          ['d u', du, tf.slice(dwide, [0, width], [rows, rank])],
          ['d B', gradientPool, tf.concat([zeros, db, zeros])],
        ];
        for (const [what, tensor, expected] of compared) {
          const values = Float64Array.from(await expected.data());
          expect(await difference(what, tensor ?? tf.zeros([0]), values, 3e-5, random.seed)).toBeNull();
        }
      });
    }

    test('a row is the same to the bit alone and among 20', async () => {
      const random = freshInputs();
      const hidden = tf.tensor2d(random.floats(20 * 16), [20, 16]);
      const head = tf.tensor2d(random.floats(90 * 16), [90, 16]);
      const targets = tf.tensor1d(random.ints(20, 90), 'int32');
      const among = tokenLogprobs(hidden, head, targets, 1);
      const alone = tokenLogprobs(tf.slice(hidden, [7, 0], [1, -1]), head, tf.slice(targets, 7, 1), 1);
      expect(
        await bitDifference('logprob', alone.logprob, tf.slice(among.logprob, 7, 1), random.seed),
      ).toBeNull();
      expect(
        await bitDifference('entropy', alone.entropy, tf.slice(among.entropy, 7, 1), random.seed),
      ).toBeNull();
    });

    test('logits of 500 and −500, by hand: log-probability −1000 at the unlikely token, entropy 0', async () => {
      const { logprob, entropy } = tokenLogprobs(
        tf.tensor2d([[1]]),
        tf.tensor2d([[500], [-500]]),
        tf.tensor1d([1], 'int32'),
        1,
      );
      expect([...(await logprob.data()), ...(await entropy.data())].map((x) => x + 0)).toEqual([-1000, 0]);
    });

    test('a temperature of 0 is refused', () => {
      expect(() => tokenLogprobs(tf.ones([1, 1]), tf.ones([2, 1]), tf.zeros([1], 'int32'), 0)).toThrow(
        'temperature is 0',
      );
    });

    test('a head of another width is refused with both shapes', () => {
      expect(() => tokenLogprobs(tf.ones([1, 3]), tf.ones([2, 4]), tf.zeros([1], 'int32'), 1)).toThrow(
        /\[1, 3\].*\[2, 4\]/,
      );
    });
  });
}
