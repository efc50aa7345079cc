/** The value head's loss by hand, and its gradient against central differences in float64, on the current backend. */
import { describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import { worstDifference } from '../testing/accuracy.ts';
import { valueUpdate, type ValueTerm } from './valueLoss.ts';

interface Numbers {
  readonly value: readonly number[];
  readonly oldValue: readonly number[];
  readonly returns: readonly number[];
  readonly learned: readonly number[];
}

async function updateOf({ value, oldValue, returns, learned }: Numbers, term: ValueTerm) {
  const row = (values: readonly number[]): tf.Tensor2D => tf.tensor2d([...values], [1, values.length]);
  const inputs = { value: row(value), oldValue: row(oldValue), returns: row(returns) };
  const counts = row(learned);
  const { loss, clipped, gradient } = valueUpdate(inputs, counts, term);
  const [[sum = NaN], [share = NaN], slopes] = await Promise.all([
    loss.data(),
    clipped.data(),
    gradient.data(),
  ]);
  tf.dispose([loss, clipped, gradient, counts, ...Object.values(inputs)]);
  return { loss: sum, clipped: share, gradient: [...slopes] };
}

/** scale · Σ max(½ (V − R)², ½ (clip(V) − R)²) in float64. */
function reference({ value, oldValue, returns, learned }: Numbers, { clipRange, scale }: ValueTerm): number {
  return value.reduce((sum, v, t) => {
    const [old = NaN, wanted = NaN] = [oldValue[t], returns[t]];
    const range = clipRange ?? Infinity;
    const within = Math.min(Math.max(v, old - range), old + range);
    return sum + scale * (learned[t] ?? NaN) * Math.max((v - wanted) ** 2, (within - wanted) ** 2) * 0.5;
  }, 0);
}

export function valueLossSuite(): void {
  describe('the loss of a value head', () => {
    test('by hand: within the range, held back beyond it, and free to come back', async () => {
      const numbers: Numbers = {
        //      within  past R's side  away from R  cut answer
        value: [1.125, 1.5, 0.5, 9],
        oldValue: [1, 1, 1, 1],
        returns: [2, 2, 2, 2],
        learned: [1, 1, 1, 0],
      };
      // ½ · 0.875²; clipped at 1.25: ½ · 0.75² beside ½ · 0.5²; clipped at 0.75: ½ · 1.25² beside ½ · 1.5².
      const found = await updateOf(numbers, { coefficient: 0.5, clipRange: 0.25, scale: 0.25 });
      expect(found.loss).toBe(0.25 * 0.5 * (0.875 ** 2 + 0.75 ** 2 + 1.5 ** 2));
      expect(found.clipped).toBe(0.25);
      expect(found.gradient.map((slope) => slope + 0)).toEqual([-0.875 / 8, 0, -1.5 / 8, 0]);
    });

    test('without a range it is half the squared error', async () => {
      const numbers: Numbers = { value: [1.5, -3], oldValue: [1, 1], returns: [2, 1], learned: [1, 1] };
      const found = await updateOf(numbers, { coefficient: 1, clipRange: null, scale: 0.5 });
      expect(found).toEqual({ loss: 0.25 * (0.25 + 16), clipped: 0, gradient: [-0.25, -2] });
    });

    test('value and gradient on random numbers, by central differences in float64', async () => {
      const random = freshInputs();
      const away = 0.02;
      const numbers: Numbers = {
        value: [...random.floats(64)],
        oldValue: [...random.floats(64)],
        returns: [...random.floats(64)],
        learned: [...random.ints(64, 2)],
      };
      const term: ValueTerm = { coefficient: 0.3, clipRange: 0.4, scale: 1 / 40 };
      // Where V is at an edge of the range, or both errors are alike, there is no derivative.
      const smooth = numbers.value.map((v, t) => {
        const [old = NaN, wanted = NaN] = [numbers.oldValue[t], numbers.returns[t]];
        const edge = v > old ? old + 0.4 : old - 0.4;
        return Math.abs(v - edge) > away && Math.abs(Math.abs(v - wanted) - Math.abs(edge - wanted)) > away;
      });
      const kept = (values: readonly number[]): number[] => values.filter((_, t) => smooth[t] === true);
      const chosen: Numbers = {
        value: kept(numbers.value),
        oldValue: kept(numbers.oldValue),
        returns: kept(numbers.returns),
        learned: kept(numbers.learned),
      };
      const found = await updateOf(chosen, term);
      const h = 1e-5;
      const slopes = chosen.value.map((_, t) => {
        const moved = (step: number): Numbers => ({
          ...chosen,
          value: chosen.value.map((v, k) => (k === t ? v + step : v)),
        });
        return (term.coefficient * (reference(moved(h), term) - reference(moved(-h), term))) / (2 * h);
      });
      expect({
        seed: random.seed,
        loss: Math.abs(found.loss - reference(chosen, term)) < 1e-6,
        gradient: worstDifference(found.gradient, slopes) < 1e-6,
        both: found.gradient.some((slope, t) => slope === 0 && chosen.learned[t] === 1),
      }).toEqual({ seed: random.seed, loss: true, gradient: true, both: true });
    });
  });
}
