/**
 * Prints the output of programs, line by line. Much of it contains text of strangers (rows, settings, names of machines and runs, tensors),
 * which must not act on a terminal. No other file writes to the console (lint).
 */
import { visibleText } from './visibleText.ts';

/** Prints to standard output. */
export const printLine = (...texts: readonly unknown[]): void =>
  console.log(visibleText(texts.map(String).join(' ')));

/** Prints to standard error: progress, warnings and errors. */
export const printProblem = (...texts: readonly unknown[]): void =>
  console.error(visibleText(texts.map(String).join(' ')));

/** Prints the output of one of the project's tools, with the sequences that colour it. Text of a stranger must never go here. */
export const printColoured = (text: string): void => console.log(text);
