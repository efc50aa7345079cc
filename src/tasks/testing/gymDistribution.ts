/** Compares the draws of a task with those of the dataset of reasoning-gym that it follows. */
import type { GymTask } from '../gym/shared/define.ts';
import { referenceItems } from './gymConformance.ts';
import { everyProof } from '@rl-playground/base/testing/proofs';
import '../gym/words/wordData.ts';

/** An item of either source; `metadata` as loosely typed as JSON is. */
export interface ComparedItem {
  readonly question: string;
  readonly answer: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const OWN_ITEMS = everyProof ? 2000 : 600;

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * The distance of the means of two independent samples, in standard errors of their difference under one distribution of both. It exceeds 5
 * by chance about once in 2 million comparisons. It is 0 if all values are the same.
 */
export function meanGap(a: readonly number[], b: readonly number[]): number {
  const all = [...a, ...b];
  const mean = meanOf(all);
  const variance = meanOf(all.map((value) => (value - mean) ** 2));
  const gap = Math.abs(meanOf(a) - meanOf(b));
  return gap === 0 ? 0 : gap / Math.sqrt(variance * (1 / a.length + 1 / b.length));
}

/** `meanGap` of each statistic between the reference items under `folder` and problems drawn with the default settings. */
export function distributionGaps(
  task: GymTask,
  folder: string,
  statistics: Readonly<Record<string, (item: ComparedItem) => number>>,
): Record<string, number> {
  const reference = referenceItems(folder, task.name) as unknown as readonly ComparedItem[];
  const own = Array.from({ length: OWN_ITEMS }, (_, index): ComparedItem => {
    const { question, answer, data } = task.generate(11, 'train', index, task.defaults);
    return { question, answer, metadata: data as ComparedItem['metadata'] };
  });
  return Object.fromEntries(
    Object.entries(statistics).map(([name, measure]) => [
      name,
      meanGap(reference.map(measure), own.map(measure)),
    ]),
  );
}
