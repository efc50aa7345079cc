/** What a learner hands in of a run. */
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
