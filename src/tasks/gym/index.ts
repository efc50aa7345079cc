/** The tasks after reasoning-gym's datasets. */
import { basicArithmetic } from './basicArithmetic.ts';
import { caesarCipher } from './caesarCipher.ts';
import { chainSum } from './chainSum.ts';
import { countdown } from './countdown.ts';
import type { GymTask } from './define.ts';
import { isomorphicStrings } from './isomorphicStrings.ts';
import { letterCounting } from './letterCounting.ts';
import { miniSudoku } from './miniSudoku.ts';
import { numberFiltering } from './numberFiltering.ts';
import { numberSorting } from './numberSorting.ts';
import { palindromeGeneration } from './palindromeGeneration.ts';
import { puzzle24 } from './puzzle24.ts';
import { ransomNote } from './ransomNote.ts';
import { sentenceReordering } from './sentenceReordering.ts';
import { spellBackward } from './spellBackward.ts';
import { stringInsertion } from './stringInsertion.ts';
import { stringManipulation } from './stringManipulation.ts';
import { sudoku } from './sudoku.ts';
import { wordSequenceReversal } from './wordSequenceReversal.ts';
import { wordSorting } from './wordSorting.ts';

export const GYM_TASKS: readonly GymTask[] = [
  chainSum,
  basicArithmetic,
  spellBackward,
  wordSorting,
  letterCounting,
  caesarCipher,
  sentenceReordering,
  wordSequenceReversal,
  countdown,
  puzzle24,
  miniSudoku,
  sudoku,
  numberSorting,
  numberFiltering,
  isomorphicStrings,
  palindromeGeneration,
  ransomNote,
  stringInsertion,
  stringManipulation,
];
