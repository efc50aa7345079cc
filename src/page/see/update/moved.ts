/** The change of an answer's probability by an update, and its place in the drawing. */
import type { Branch } from '@rl-playground/run/session';
import { compact, fixed, signed } from '../../ui/text/format.ts';
import { probabilityText } from '../rollouts/tokenMeasures.ts';

type Move = Pick<Branch, 'before' | 'after'>;

/** The factor by which an answer or a token has become more likely; NaN where one of the two is not known. */
export const factorOf = ({ before, after }: Move): number => Math.exp(after - before);

/** "×1.31 as likely", or a dash. */
export function factorText(move: Move): string {
  const factor = factorOf(move);
  return Number.isNaN(factor)
    ? '–'
    : `×${factor >= 0.1 && factor < 100 ? fixed(factor) : compact(factor)} as likely`;
}

/** "62.0% → 71.0%". */
export const moveText = ({ before, after }: Move): string =>
  `${probabilityText(before)} → ${probabilityText(after)}`;

const wish = (advantage: number): string =>
  advantage > 0
    ? 'above 0, so the update was to make it more likely'
    : advantage < 0
      ? 'below 0, so the update was to make it less likely'
      : '0, so the update did not push it';

/** A change of log p below which nobody would say that anything has moved. */
const STILL = 0.002;

/** The sentence about a whole answer. */
export function answerWords(move: Move, advantage: number): string {
  if (Number.isNaN(factorOf(move)))
    return 'The weights on both sides of this step’s update are no longer kept.';
  if (Math.abs(move.after - move.before) < STILL)
    return `The step left this answer as likely as it was, log p ${signed(move.after, 3)}. Its advantage is ${wish(advantage)}.`;
  const against = advantage !== 0 && advantage * (move.after - move.before) < 0;
  return `The step made this answer ${factorText(move)}: log p went from ${signed(move.before, 3)} to ${signed(move.after, 3)}. Its advantage is ${wish(advantage)}.${
    against
      ? ' It went the other way: other answers share tokens with it, and the optimizer’s momentum counts too.'
      : ''
  }`;
}

/** The token that moved most, from 0; null where none did. */
export function movedMost(moves: readonly number[]): number | null {
  const sizes = moves.map((move) => Math.abs(move) || 0);
  const largest = Math.max(...sizes);
  return largest < STILL ? null : sizes.indexOf(largest);
}

/** The first of the tokens that are drawn with token `at`, so many at a time. */
export const windowOf = (at: number, shown: number): number => Math.floor(at / shown) * shown;
