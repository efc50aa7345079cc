/** The tasks after reasoning-gym's datasets. */
import { baseConversion } from './baseConversion.ts';
import { basicArithmetic } from './basicArithmetic.ts';
import { binaryAlternation } from './binaryAlternation.ts';
import { bitwiseArithmetic } from './bitwiseArithmetic.ts';
import { caesarCipher } from './caesarCipher.ts';
import { calendarArithmetic } from './calendarArithmetic.ts';
import { chainSum } from './chainSum.ts';
import { coinFlip } from './coinFlip.ts';
import { colorCubeRotation } from './colorCubeRotation.ts';
import { complexArithmetic } from './complexArithmetic.ts';
import { countBits } from './countBits.ts';
import { countdown } from './countdown.ts';
import { countPrimes } from './countPrimes.ts';
import { courseSchedule } from './courseSchedule.ts';
import { decimalArithmetic } from './decimalArithmetic.ts';
import type { GymTask } from './define.ts';
import { dice } from './dice.ts';
import { familyRelationships } from './familyRelationships.ts';
import { fractionSimplification } from './fractionSimplification.ts';
import { gcd } from './gcd.ts';
import { groupAnagrams } from './groupAnagrams.ts';
import { isomorphicStrings } from './isomorphicStrings.ts';
import { knightsKnaves } from './knightsKnaves.ts';
import { largestIsland } from './largestIsland.ts';
import { lcm } from './lcm.ts';
import { legCounting } from './legCounting.ts';
import { letterCounting } from './letterCounting.ts';
import { maze } from './maze.ts';
import { miniSudoku } from './miniSudoku.ts';
import { needleHaystack } from './needleHaystack.ts';
import { numberFiltering } from './numberFiltering.ts';
import { numberFormat } from './numberFormat.ts';
import { numberSequence } from './numberSequence.ts';
import { numberSorting } from './numberSorting.ts';
import { palindromeGeneration } from './palindromeGeneration.ts';
import { primeFactorization } from './primeFactorization.ts';
import { products } from './products.ts';
import { propositionalLogic } from './propositionalLogic.ts';
import { puzzle24 } from './puzzle24.ts';
import { quantumLock } from './quantumLock.ts';
import { ransomNote } from './ransomNote.ts';
import { rotateMatrix } from './rotateMatrix.ts';
import { selfReference } from './selfReference.ts';
import { sentenceReordering } from './sentenceReordering.ts';
import { shortestPath } from './shortestPath.ts';
import { simpleEquations } from './simpleEquations.ts';
import { spellBackward } from './spellBackward.ts';
import { spiralMatrix } from './spiralMatrix.ts';
import { stringInsertion } from './stringInsertion.ts';
import { stringManipulation } from './stringManipulation.ts';
import { sudoku } from './sudoku.ts';
import { syllogism } from './syllogism.ts';
import { timeIntervals } from './timeIntervals.ts';
import { towerOfHanoi } from './towerOfHanoi.ts';
import { wordSequenceReversal } from './wordSequenceReversal.ts';
import { wordSorting } from './wordSorting.ts';
import { zebraPuzzles } from './zebraPuzzles.ts';

export const GYM_TASKS: readonly GymTask[] = [
  chainSum,
  basicArithmetic,
  complexArithmetic,
  syllogism,
  propositionalLogic,
  knightsKnaves,
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
  gcd,
  lcm,
  countBits,
  baseConversion,
  products,
  simpleEquations,
  legCounting,
  rotateMatrix,
  binaryAlternation,
  towerOfHanoi,
  largestIsland,
  maze,
  shortestPath,
  courseSchedule,
  quantumLock,
  spiralMatrix,
  fractionSimplification,
  primeFactorization,
  numberSequence,
  colorCubeRotation,
  familyRelationships,
  groupAnagrams,
  needleHaystack,
  selfReference,
  decimalArithmetic,
  bitwiseArithmetic,
  coinFlip,
  timeIntervals,
  zebraPuzzles,
  countPrimes,
  dice,
  numberFormat,
  calendarArithmetic,
];
