/** Pay for the working of an answer, where a task can check it: a right answer by luck then earns less than one that was worked out. */
import { real } from './fields.ts';
import { shareText } from './reason.ts';
import type { Reward } from './types.ts';

export const STEP_WEIGHT_FIELD = real(
  'Weight of right working',
  'What an answer earns on top for the working before its result: this times the share of it that is right, whatever the result. 0, as in the original systems, pays for the result alone.',
  0,
  10,
  0,
);

/** A reward with the part for right steps on top. `share` gives the share of right steps, 0 to 1, and is not called if the weight is 0. */
export function withSteps(reward: Reward, weight: number, share: () => number): Reward {
  if (weight === 0) return reward;
  const right = share();
  const steps = weight * right;
  return {
    ...reward,
    total: reward.total + steps,
    parts: { ...reward.parts, steps },
    reason: `${reward.reason} ${shareText(right)} of the working is right.`,
  };
}

const piecesOf = (line: string): string[] => line.split(' ').filter((piece) => piece !== '');

/**
 * The share of the worked pieces, parted by spaces, that `work` has at the same place of the same line. A line with too many pieces counts
 * nothing, and so does work with too many lines. Linear in the two texts.
 */
export function rightPieces(work: string, worked: string): number {
  const lines = worked.split('\n').map(piecesOf);
  const given = work.split('\n').map(piecesOf);
  if (given.length > lines.length) return 0;
  let [right, all] = [0, 0];
  for (const [i, pieces] of lines.entries()) {
    const line = given[i] ?? [];
    all += pieces.length;
    if (line.length <= pieces.length) right += line.filter((piece, j) => piece === pieces[j]).length;
  }
  return all === 0 ? 0 : right / all;
}
