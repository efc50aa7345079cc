/** Facts about a file of rows: its lengths, a sample, and the way to recognise one. */
import type { SftRow } from '@rl-playground/run/sft';
import { plural } from '@rl-playground/base/text';
import { count, fixed } from '../../ui/text/format.ts';

/** Characters of a text that are shown. */
const SHOWN = 300;

function clipped(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}

/** The number of rows and the length of the answers in characters, because tokens depend on the model. */
export function lengthsOf(rows: readonly SftRow[]): string {
  const lengths = rows.map(({ completion }) => completion.length);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / rows.length;
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  return `${plural(rows.length, 'row')}, answers of ${fixed(mean, 0)} characters on average, the longest of ${count(longest)}.`;
}

/** The last message of the first row, and its answer. */
export function sampleOf(rows: readonly SftRow[]): { asked: string; answer: string } | null {
  const [row] = rows;
  if (row === undefined) return null;
  return { asked: clipped(row.prompt.at(-1)?.content ?? ''), answer: clipped(row.completion) };
}

const CONVERSATION = /^\s*\{.*"messages"\s*:\s*\[/;
const PAIR = /^\s*\{(?=.*"prompt"\s*:)(?=.*"completion"\s*:)/;

/** True if the first line is an object with the keys that TRL's trainer reads. */
export function looksLikeRows(head: string): boolean {
  const [line = ''] = head
    .replace(/^\uFEFF/, '')
    .trimStart()
    .split('\n');
  return CONVERSATION.test(line) || PAIR.test(line);
}
