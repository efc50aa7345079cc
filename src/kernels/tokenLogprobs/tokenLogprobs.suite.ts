import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { opProblems, difference, bitDifference } from '../checks/compare.ts';
import { freshInputs } from '../checks/random.ts';
import { gemmReference, logprobsReference } from '../checks/reference.ts';
import { tokenLogprobs } from './tokenLogprobs.ts';

function reference(
  { rows, vocab, width }: { rows: number; vocab: number; width: number },
  targets: Int32Array,
  temperature: number,
): (hidden?: Float64Array, head?: Float64Array) => Float64Array[] {
  return (hidden = new Float64Array(), head = new Float64Array()) =>
    logprobsReference(
      gemmReference(
        { m: rows, n: vocab, k: width },
        (row, i) => hidden[row * width + i] ?? NaN,
        (i, token) => head[token * width + i] ?? NaN,
      ),
      targets,
      temperature,
    );
}

const pair = (hidden: tf.Tensor, head: tf.Tensor, targets: tf.Tensor, temperature: number): tf.Tensor[] => {
  const { logprob, entropy } = tokenLogprobs(hidden, head, targets, temperature);
  return [logprob, entropy];
};

export function tokenLogprobsSuite(): void {
  describe('tokenLogprobs', () => {
    for (const [rows, vocab, width, temperature] of [
      [1, 2, 1, 1],
      [13, 67, 9, 0.7],
      [5, 1100, 4, 1.5],
    ] as const) {
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

    test('more logits than one chunk holds: values, and gradients that are the sum of the parts', async () => {
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
    });

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
  });
}
