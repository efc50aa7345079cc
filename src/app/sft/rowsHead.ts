/** Telling rows to learn from by the beginning of their file. */

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
