/**
 * What every test in Node has: the words of the tasks about them, which the program itself fetches only for who draws problems, and a quick way to compare weights.
 * Vitest runs this anew for each file, and what it imports once for all files of a worker.
 */
import '../gym/words/wordData.ts';
import '@rl-playground/base/testing/equalArrays';
