/** Prints the progress of `npm run lab -- bench`. */
import { rowText } from './report.ts';
import type { BenchProgress } from './run.ts';
import type { BenchResult } from './types.ts';
import { printLine } from '@rl-playground/base/print';

/** The characters that clear the progress line of a terminal. */
const CLEAR_LINE = '\r\x1b[K';

/** Overwrites one line on a terminal; elsewhere says each thing that is timed once. */
export function progressPrinter(): (progress: BenchProgress) => void {
  let said = '';
  return ({ done, total, text }) => {
    const ended = done === total;
    const count = `[${Math.min(done + 1, total)}/${total}]`;
    if (process.stdout.isTTY) {
      process.stdout.write(ended ? CLEAR_LINE : `${CLEAR_LINE}${count} ${text}`);
      return;
    }
    const [what = ''] = text.split(' · ');
    if (what === said || ended) return;
    said = what;
    printLine(`${count} ${what}`);
  };
}

export function printRow(row: BenchResult): void {
  if (process.stdout.isTTY) process.stdout.write(CLEAR_LINE);
  printLine(rowText(row));
}
