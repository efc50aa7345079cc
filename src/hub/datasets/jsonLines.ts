import { messageOf } from '../errors.ts';
import { rowsOf, type BadRow, type ReadRows } from './rows.ts';

/** Reads one JSON object per line; only `\n` ends a line. Lines that are no JSON are listed as bad, empty ones passed over. */
export function readJsonLines(text: string): ReadRows {
  const records: { line: number; value: unknown }[] = [];
  const broken: BadRow[] = [];
  for (const [i, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    try {
      records.push({ line: i + 1, value: JSON.parse(line) as unknown });
    } catch (error) {
      broken.push({
        line: i + 1,
        message: `it is no JSON (${messageOf(error)}); one object per line is needed.`,
      });
    }
  }
  const { rows, bad } = rowsOf(records);
  return { rows, bad: [...bad, ...broken].toSorted((a, b) => a.line - b.line) };
}
