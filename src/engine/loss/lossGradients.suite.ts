/**
 * Every loss against float64 on random inputs: values, gradients by central differences (f32 against f64: 1e-5 of the largest entry), the
 * terms that carry no gradient, and that nothing outside the mask matters.
 */
import { describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import { drawsFor, fnv1a32 } from '@rl-playground/base/random';
import { worstDifference } from '../testing/accuracy.ts';
import { evaluatedLoss } from '../testing/lossOnDevice.ts';
import {
  LOSS_NUMBER_NAMES,
  randomLossNumbers,
  referenceGradient,
  referenceLoss,
  type LossNumbers,
} from '../testing/lossReference.ts';
import { LOSS_NAMES, PLAIN_LOSS, tokenLoss, type LossSettings } from './losses.ts';
import { ratioOf, stopGradient } from './inputs.ts';
import type { LossName } from './lossRows.ts';

const RELATIVE = 1e-5;

/** ε low and high apart, as DAPO has them. */
const CLIP_HIGHER = { low: 1 - 0.2, high: 1 + 0.28 };
const K2 = { estimator: 'k2', beta: 0.3 } as const;
const K3 = { estimator: 'k3', beta: 0.1 } as const;

const VARIATIONS: readonly (readonly [LossName, Partial<LossSettings>])[] = [
  ...LOSS_NAMES.map((loss) => [loss, {}] as const),
  ...LOSS_NAMES.map((loss) => [loss, { kl: K3, importanceCap: 1.5 }] as const),
  ['reinforce', { kl: K2 }],
  ['importance_sampling', { ratioLevel: 'sequence' }],
  ['ppo', { bounds: CLIP_HIGHER }],
  ['ppo', { bounds: { low: 0.5, high: 3 } }],
  ['cispo', { bounds: { low: 0, high: 1.5 } }],
  ['cispo', { bounds: { low: 0, high: 4 }, kl: K2 }],
  ['dro', { droBeta: 0.7 }],
  ['grpo', { kl: K3 }],
  ['grpo', { kl: K2 }],
  ['grpo', { importanceCap: 1.5 }],
  ['grpo', { delta: 1.6 }],
  ['grpo', { delta: 1.6, bounds: CLIP_HIGHER, ratioLevel: 'sequence' }],
  ['grpo', { ratioLevel: 'sequence' }],
  ['grpo', { ratioLevel: 'sequence', bounds: { low: 1 - 3e-2, high: 1 + 4e-2 }, kl: K3 }],
  ['dapo', { bounds: CLIP_HIGHER, importanceCap: 2 }],
  ['grpo', { kl: { ...K3, biasCorrection: true } }],
  ['grpo', { kl: { ...K3, biasCorrection: true }, ratioLevel: 'sequence' }],
  ['cispo', { kl: { ...K3, biasCorrection: true } }],
  ['cispo', { ratioLevel: 'sequence', bounds: { low: 0, high: 1.5 } }],
  ['sapo', { sapo: { positive: 0.5, negative: 2 } }],
  ['sapo', { ratioLevel: 'sequence' }],
  ['vespo', { vespo: { positive: { k: 1, lambda: 0.5 }, negative: { k: 0.5, lambda: 1 } } }],
  ['vespo', { importanceMode: 'token_mask', importanceCap: 2, importanceFloor: 0.5 }],
  ['vespo', { importanceMode: 'token_truncate', importanceCap: 1.5 }],
  ['luspo', { ratioLevel: 'sequence', bounds: CLIP_HIGHER }],
  ['grpo', { importanceMode: 'token_mask', importanceCap: 1.5, importanceFloor: 0.8 }],
  ['dapo', { importanceMode: 'sequence_truncate', importanceCap: 3, importanceFloor: 0.5 }],
  ['dapo', { importanceMode: 'sequence_mask', importanceCap: 3 }],
  ['grpo', { importanceFloor: 0.8 }],
  ['ppo', { offPolicyThreshold: 0.1 }],
];

/** Bounds, δ and caps that appear above. */
const KINKS = [0.5, 0.8, 0.97, 1.04, 1.2, 1.28, 1.5, 1.6, 2, 3, 4];

const SIZES: readonly (readonly [batch: number, length: number])[] = [
  [6, 11],
  [1, 1],
  [3, 40],
];
const RUBBISH = [-1e4, 3e38, 1e4, -Infinity, NaN];

const largest = (values: readonly (readonly number[])[]): number => Math.max(...values.flat().map(Math.abs));

/** `everyCase`: all sizes and all rubbish; else of each variation one size and the rubbish that breaks most. */
export function lossGradientsSuite(everyCase = true): void {
  const [sizes, rubbishes] = everyCase ? [SIZES, RUBBISH] : [SIZES.slice(0, 1), [NaN]];

  describe.each(VARIATIONS)('%s %j', (loss, changes) => {
    const settings: LossSettings = { ...PLAIN_LOSS, ...changes, loss };

    test.each(sizes)('value and gradient over [%i, %i]', async (batch, length) => {
      // By its own words, so that one more loss changes no other's numbers.
      const draw = drawsFor(batch, length, fnv1a32(JSON.stringify([loss, changes])));
      const numbers = randomLossNumbers(draw, batch, length, KINKS);
      const { value, gradient } = await evaluatedLoss(tokenLoss(settings), numbers);
      const expected = referenceLoss(settings, numbers);
      expect(Math.abs(value - expected)).toBeLessThan(RELATIVE * Math.max(1, Math.abs(expected)));
      const derivatives = referenceGradient(settings, numbers);
      expect(worstDifference(gradient.flat(), derivatives.flat())).toBeLessThan(
        RELATIVE * Math.max(0.1, largest(derivatives)),
      );
    });

    test('whatever stands at the prompt and the padding, the loss is the same to the bit and the gradient there 0', async () => {
      const numbers = randomLossNumbers(drawsFor(77), 5, 13, KINKS);
      const clean = await evaluatedLoss(tokenLoss(settings), numbers);
      for (const rubbish of rubbishes) {
        const other = (name: (typeof LOSS_NUMBER_NAMES)[number]): readonly (readonly number[])[] =>
          name === 'mask' || name === 'weights'
            ? numbers[name]
            : numbers[name].map((row, b) =>
                row.map((value, t) =>
                  numbers.mask[b]?.[t] === 1 ? value : rubbish * (name === 'advantage' ? -1 : 1),
                ),
              );
        const all = Object.fromEntries(LOSS_NUMBER_NAMES.map((name) => [name, other(name)])) as LossNumbers;
        for (const dirty of [...(everyCase ? [{ ...numbers, logprob: other('logprob') }] : []), all]) {
          const found = await evaluatedLoss(tokenLoss(settings), dirty);
          expect(found).toEqual(clean);
          const outside = found.gradient.flatMap((row, b) =>
            row.filter((_, t) => numbers.mask[b]?.[t] === 0),
          );
          expect(outside.length).toBeGreaterThan(5);
          expect(outside.every((derivative) => derivative === 0)).toBe(true);
        }
      }
    });
  });

  describe('what the random inputs reach', () => {
    const numbers = randomLossNumbers(drawsFor(6, 11, 9), 20, 20, KINKS);
    const inside = (values: readonly (readonly number[])[]): number[] =>
      values.flatMap((row, b) => row.filter((_, t) => numbers.mask[b]?.[t] === 1));

    test('ratios below, within and above the bounds, sequences of many lengths, prompts and padding', () => {
      const old = inside(numbers.oldLogprob);
      const ratios = inside(numbers.logprob).map((logprob, i) => Math.exp(logprob - (old[i] ?? NaN)));
      const shares = [0.8, 1.2, Infinity].map((bound) => ratios.filter((ratio) => ratio < bound).length);
      const [below = 0, notAbove = 0, all = 0] = shares;
      expect(below).toBeGreaterThan(all / 10);
      expect(notAbove - below).toBeGreaterThan(all / 10);
      expect(all - notAbove).toBeGreaterThan(all / 10);
      const lengths = numbers.mask.map((row) => row.filter((value) => value === 1).length);
      expect(new Set(lengths).size).toBeGreaterThan(5);
      expect(numbers.mask.some((row) => row[0] === 0) && numbers.mask.some((row) => row.at(-1) === 0)).toBe(
        true,
      );
    });

    test('clipping takes the gradient of some tokens, δ that of more, CISPO that of none', async () => {
      const without = async (
        settings: Partial<LossSettings> & Pick<LossSettings, 'loss'>,
      ): Promise<number> => {
        const { gradient } = await evaluatedLoss(tokenLoss({ ...PLAIN_LOSS, ...settings }), numbers);
        return inside(gradient).filter((derivative) => derivative === 0).length;
      };
      const clipped = await without({ loss: 'ppo' });
      expect(clipped).toBeGreaterThan(10);
      expect(await without({ loss: 'ppo', delta: 1.6 })).toBeGreaterThan(clipped);
      expect(await without({ loss: 'cispo' })).toBe(0);
      expect(await without({ loss: 'importance_sampling' })).toBe(0);
    });
  });

  describe('stop-gradient', () => {
    const numbers = randomLossNumbers(drawsFor(5), 4, 9, KINKS);

    test('CISPO’s gradient is that of a constant weight, not that of the product', async () => {
      const settings: LossSettings = { ...PLAIN_LOSS, loss: 'cispo', bounds: { low: 0, high: 4 } };
      const { gradient } = await evaluatedLoss(tokenLoss(settings), numbers);
      const step = 1e-5;
      const withTheWeight = (b: number, t: number): number => {
        const at = (by: number): number => {
          const logprob = numbers.logprob.map((row, i) =>
            row.map((value, k) => (i === b && k === t ? value + by : value)),
          );
          return referenceLoss(settings, { ...numbers, logprob });
        };
        return (at(step) - at(-step)) / (2 * step);
      };
      const product = numbers.mask.map((row, b) =>
        row.map((inside, t) => (inside ? withTheWeight(b, t) : 0)),
      );
      expect(worstDifference(gradient.flat(), product.flat())).toBeGreaterThan(0.01);
      expect(worstDifference(gradient.flat(), referenceGradient(settings, numbers).flat())).toBeLessThan(
        1e-5,
      );
    });

    test('the weight of truncated importance sampling has none, even where p_old moves with p', async () => {
      const loss = tokenLoss({ ...PLAIN_LOSS, loss: 'reinforce', importanceCap: 100 });
      const held = await evaluatedLoss(loss, { ...numbers, oldLogprob: numbers.logprob });
      const moving = await evaluatedLoss(
        (inputs) => loss({ ...inputs, oldLogprob: inputs.logprob }),
        numbers,
      );
      expect(moving.gradient).toEqual(held.gradient);
      expect(largest(held.gradient)).toBeGreaterThan(0);
    });

    test('passes the value on and no gradient', async () => {
      const { value, gradient } = await evaluatedLoss(
        ({ logprob }) => tf.mul(stopGradient(tf.square(logprob)), logprob),
        { ...numbers, weights: numbers.mask },
      );
      const logprobs = numbers.logprob.flat();
      expect(value).toBeCloseTo(
        logprobs.reduce((sum, logprob) => sum + logprob ** 3, 0),
        2,
      );
      expect(
        worstDifference(
          gradient.flat(),
          logprobs.map((logprob) => logprob ** 2),
        ),
      ).toBeLessThan(1e-5);
    });
  });

  test('a sequence’s ratio is one number for all of its positions, whatever else is in the batch', async () => {
    const numbers = randomLossNumbers(drawsFor(12), 5, 9, KINKS);
    const grid = (rows: readonly (readonly number[])[]) => tf.tensor2d(rows.map((row) => [...row]));
    const ratios = await ratioOf(
      { logprob: grid(numbers.logprob), oldLogprob: grid(numbers.oldLogprob), mask: grid(numbers.mask) },
      'sequence',
    ).array();
    for (const [b, row] of ratios.entries()) {
      const gaps = (numbers.logprob[b] ?? []).flatMap((logprob, t) =>
        numbers.mask[b]?.[t] === 1 ? [logprob - (numbers.oldLogprob[b]?.[t] ?? NaN)] : [],
      );
      const product = gaps.reduce((all, gap) => all * Math.exp(gap), 1);
      expect(
        worstDifference(
          row,
          row.map(() => product ** (1 / gaps.length)),
        ),
      ).toBeLessThan(1e-5);
    }
  });
}
