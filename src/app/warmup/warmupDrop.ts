/** Which dropped files are rows for the warm-up: those let go over its section, and those that look like it anywhere. */
import { useOwnPanel } from '../own/ownPanel.ts';

/** Marks the section. */
export const DROP_ZONE = 'data-warmup-drop';

/** Bytes at the beginning of a file that are looked at. */
const HEAD = 4096;
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

/** `target`: what the file was let go over. Rows dropped while a task of one's own is being made belong to that. */
export async function isWarmupDrop(file: File, target: EventTarget | null): Promise<boolean> {
  if (target instanceof Element && target.closest(`[${DROP_ZONE}]`) !== null) return true;
  if (!/\.(jsonl|ndjson)$/i.test(file.name) || useOwnPanel.getState().open) return false;
  return looksLikeRows(await file.slice(0, HEAD).text());
}
