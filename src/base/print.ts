/**
 * What programs print, line by line. Text of strangers (rows, settings, names of machines and runs, tensors) is in much of it, and stays text on a
 * terminal. No other file writes to the console (lint).
 */
import { visibleText } from './visibleText.ts';

/** To standard output. */
export const printLine = (...texts: readonly unknown[]): void =>
  console.log(visibleText(texts.map(String).join(' ')));

/** To standard error: progress, warnings, what went wrong. */
export const printProblem = (...texts: readonly unknown[]): void =>
  console.error(visibleText(texts.map(String).join(' ')));

/** What a tool of the project has said, with the sequences by which it colours it. Never for text of a stranger's. */
export const printColoured = (text: string): void => console.log(text);
