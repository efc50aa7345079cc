/** The part of a run that a learner hands in. */
export {
  firstDifference,
  type HandIn,
  LARGEST_HAND_IN,
  LONGEST_LEARNER,
  readHandIn,
  type RunLeft,
  unconfirmed,
  type Verdict,
  writeHandIn,
} from './handIn.ts';
