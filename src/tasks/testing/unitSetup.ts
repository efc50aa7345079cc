/**
 * The setup of every test in Node: the words of the word tasks, which the program itself fetches only if a task draws problems, and a quick
 * way to compare weights. Vitest runs this anew for each file, and what it imports once for all files of a worker.
 */
import '../gym/words/wordData.ts';
import '@rl-playground/base/testing/equalArrays';
