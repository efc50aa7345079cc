/** The tasks after reasoning-gym's datasets. */
import { baseConversion } from './arithmetic/baseConversion.ts';
import { basicArithmetic } from './arithmetic/basicArithmetic.ts';
import { binaryAlternation } from './logic/binaryAlternation.ts';
import { bitwiseArithmetic } from './arithmetic/bitwiseArithmetic.ts';
import { caesarCipher } from './words/caesarCipher.ts';
import { calendarArithmetic } from './arithmetic/calendarArithmetic.ts';
import { chainSum, products } from './arithmetic/sumsAndProducts.ts';
import { coinFlip } from './arithmetic/coinFlip.ts';
import { colorCubeRotation } from './logic/colorCubeRotation.ts';
import { complexArithmetic } from './algebra/complexArithmetic.ts';
import { countBits } from './arithmetic/countBits.ts';
import { countdown } from './games/countdown.ts';
import { countPrimes } from './arithmetic/countPrimes.ts';
import { courseSchedule } from './grids/courseSchedule.ts';
import { decimalArithmetic } from './arithmetic/decimalArithmetic.ts';
import type { GymTask } from './shared/define.ts';
import { dice } from './arithmetic/dice.ts';
import { familyRelationships } from './logic/familyRelationships.ts';
import { fractionSimplification } from './arithmetic/fractionSimplification.ts';
import { gcd, lcm } from './arithmetic/divisors.ts';
import { groupAnagrams } from './words/groupAnagrams.ts';
import { isomorphicStrings } from './words/isomorphicStrings.ts';
import { knightsKnaves } from './logic/knightsKnaves.ts';
import { largestIsland } from './grids/largestIsland.ts';
import { legCounting } from './arithmetic/legCounting.ts';
import { letterCounting } from './words/letterCounting.ts';
import { maze } from './grids/maze.ts';
import { miniSudoku, sudoku } from './games/sudoku.ts';
import { needleHaystack } from './logic/needleHaystack.ts';
import { numberFiltering, numberSorting } from './numbers/numberLists.ts';
import { numberFormat } from './numbers/numberFormat.ts';
import { numberSequence } from './numbers/numberSequence.ts';
import { palindromeGeneration } from './words/palindromeGeneration.ts';
import { primeFactorization } from './arithmetic/primeFactorization.ts';
import { propositionalLogic } from './logic/propositionalLogic.ts';
import { puzzle24 } from './games/puzzle24.ts';
import { quantumLock } from './games/quantumLock.ts';
import { ransomNote } from './words/ransomNote.ts';
import { rotateMatrix, spiralMatrix } from './numbers/squareMatrices.ts';
import { selfReference } from './logic/selfReference.ts';
import { sentenceReordering } from './words/sentenceReordering.ts';
import { shortestPath } from './grids/shortestPath.ts';
import { simpleEquations } from './algebra/simpleEquations.ts';
import { spellBackward } from './words/spellBackward.ts';
import { stringInsertion } from './words/stringInsertion.ts';
import { stringManipulation } from './words/stringManipulation.ts';
import { syllogism } from './logic/syllogism.ts';
import { timeIntervals } from './arithmetic/timeIntervals.ts';
import { towerOfHanoi } from './games/towerOfHanoi.ts';
import { wordSequenceReversal } from './words/wordSequenceReversal.ts';
import { wordSorting } from './words/wordSorting.ts';
import { zebraPuzzles } from './logic/zebraPuzzles.ts';

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
