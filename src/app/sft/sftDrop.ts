/** Which dropped files are rows for the warm-up: those let go over its section, and those that look like it anywhere. */
import { reportError } from '../actions.ts';
import { useOwnPanel } from '../custom/customPanel.ts';
import { looksLikeRows } from './rowsHead.ts';
import { takeSftFile, useSftRows } from './sftRows.ts';

/** Marks the section. */
export const DROP_ZONE = 'data-warmup-drop';

/** Bytes at the beginning of a file that are looked at. */
const HEAD = 4096;
/** `target`: what the file was let go over. Rows dropped while a task of one's own is being made belong to that. */
export async function isSftDrop(file: File, target: EventTarget | null): Promise<boolean> {
  if (target instanceof Element && target.closest(`[${DROP_ZONE}]`) !== null) return true;
  if (!/\.(jsonl|ndjson)$/i.test(file.name) || useOwnPanel.getState().open) return false;
  return looksLikeRows(await file.slice(0, HEAD).text());
}

/** Takes a dropped file and brings the section with the outcome into view; a notice says what went wrong where the section is folded away. */
export async function takeSftDrop(file: File): Promise<void> {
  await takeSftFile(file);
  const section = document.querySelector(`[${DROP_ZONE}]`);
  const { problem } = useSftRows.getState();
  if (section !== null) section.scrollIntoView({ block: 'nearest' });
  else if (problem !== null) reportError(`${file.name} was not taken`, problem, 'Rows from before are kept.');
}
