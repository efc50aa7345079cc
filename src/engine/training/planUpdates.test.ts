import { describe, expect, test } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { planUpdates, type UpdateSettings } from './batchTrainer.ts';

const ONCE: UpdateSettings = { numSubsteps: 1, ppoEpochs: 1, miniBatchSize: 0, gradientAccumulation: 1 };
const plan = (count: number, settings: Partial<UpdateSettings>) =>
  planUpdates(count, { ...ONCE, ...settings }, drawsFor(5));

describe('updates of a batch', () => {
  test('one of the whole batch by default', () => {
    expect(plan(3, {})).toEqual([[[0, 1, 2]]]);
  });

  test('substeps are contiguous and in order', () => {
    expect(plan(6, { numSubsteps: 3 })).toEqual([[[0, 1]], [[2, 3]], [[4, 5]]]);
  });

  test('a batch that lost answers is cut at evenly spaced edges, and no part is empty', () => {
    expect(plan(7, { numSubsteps: 3 })).toEqual([[[0, 1]], [[2, 3]], [[4, 5, 6]]]);
    expect(plan(2, { numSubsteps: 4 })).toEqual([[[0]], [[1]]]);
    // Accumulation takes no substep away.
    expect(plan(3, { numSubsteps: 2, gradientAccumulation: 2 })).toEqual([[[0]], [[1], [2]]]);
    expect(plan(2, { numSubsteps: 4, gradientAccumulation: 2 })).toEqual([[[0]], [[1]]]);
  });

  test('every pass shuffles anew, and holds every answer once', () => {
    const updates = plan(12, { miniBatchSize: 4, ppoEpochs: 3 });
    expect(updates).toHaveLength(9);
    expect(updates.every((parts) => parts.length === 1 && parts[0]?.length === 4)).toBe(true);
    const passes = [0, 3, 6].map((first) => updates.slice(first, first + 3).flat(2));
    for (const pass of passes) expect([...pass].sort((a, b) => a - b)).toEqual([...Array(12).keys()]);
    expect(new Set(passes.map((pass) => pass.join())).size).toBe(3);
  });

  test('accumulation makes an update of several mini-batches', () => {
    const updates = plan(8, { miniBatchSize: 2, gradientAccumulation: 2 });
    expect(updates.map((parts) => parts.map((part) => part.length))).toEqual([
      [2, 2],
      [2, 2],
    ]);
    expect(plan(8, { numSubsteps: 2, gradientAccumulation: 2 })).toEqual([
      [
        [0, 1],
        [2, 3],
      ],
      [
        [4, 5],
        [6, 7],
      ],
    ]);
  });

  test('an empty batch has no update', () => {
    expect(plan(0, { numSubsteps: 4, ppoEpochs: 2 })).toEqual([]);
  });
});
