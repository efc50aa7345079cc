/** The tasks after reasoning-gym's datasets. */
import { caesarCipher } from './caesarCipher.ts';
import { chainSum } from './chainSum.ts';
import { countdown } from './countdown.ts';
import type { GymTask } from './define.ts';
import { letterCounting } from './letterCounting.ts';
import { miniSudoku } from './miniSudoku.ts';
import { puzzle24 } from './puzzle24.ts';
import { sentenceReordering } from './sentenceReordering.ts';
import { spellBackward } from './spellBackward.ts';
import { sudoku } from './sudoku.ts';
import { wordSequenceReversal } from './wordSequenceReversal.ts';
import { wordSorting } from './wordSorting.ts';

export const GYM_TASKS: readonly GymTask[] = [
  chainSum,
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
];
