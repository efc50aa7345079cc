/** A file of rows to learn from: how one is told by its beginning, and what the page says about it. */
import type { SftRow } from '@rl-playground/run/sft';
import { plural } from '@rl-playground/base/text';
import { count, fixed } from '../../ui/text/format.ts';

/** Characters of a text that are shown. */
const SHOWN = 300;

function clipped(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}

/** Their number and how long the answers are, in characters: tokens depend on the model that learns them. */
export function lengthsOf(rows: readonly SftRow[]): string {
  const lengths = rows.map(({ completion }) => completion.length);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / rows.length;
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  return `${plural(rows.length, 'row')}, answers of ${fixed(mean, 0)} characters on average, the longest of ${count(longest)}.`;
}

/** What the first row asks, its last message alone, and what is learned as the answer. */
export function sampleOf(rows: readonly SftRow[]): { asked: string; answer: string } | null {
  const [row] = rows;
  if (row === undefined) return null;
  return { asked: clipped(row.prompt.at(-1)?.content ?? ''), answer: clipped(row.completion) };
}

const CONVERSATION = /^\s*\{.*"messages"\s*:\s*\[/;
const PAIR = /^\s*\{(?=.*"prompt"\s*:)(?=.*"completion"\s*:)/;

/** Whether the first line is an object with the keys that TRL's trainer reads. */
export function looksLikeRows(head: string): boolean {
  const [line = ''] = head
    .replace(/^\uFEFF/, '')
    .trimStart()
    .split('\n');
  return CONVERSATION.test(line) || PAIR.test(line);
}
