/** The part of a run that a learner hands in. */
export {
  differenceTells,
  firstDifference,
  type HandIn,
  type HandInDifference,
  LARGEST_HAND_IN,
  LONGEST_LEARNER,
  readHandIn,
  type RunLeft,
  unconfirmed,
  writeHandIn,
} from './handIn.ts';
export { refutedByTexts } from './handInTexts.ts';
