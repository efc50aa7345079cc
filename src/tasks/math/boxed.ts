/** Reading `\boxed{…}`, as the Tinker cookbook's math environment does. */
import { skipSpace } from '../python/text.ts';

const BOX = '\\boxed';
const WORD = /[a-zA-Z0-9]+/y;

/** The word behind the first `\boxed` that whitespace and a word of ASCII letters and digits follow. */
function unbracedBox(text: string): string | null {
  for (let at = text.indexOf(BOX); at >= 0; at = text.indexOf(BOX, at + 1)) {
    const behind = at + BOX.length;
    const start = skipSpace(text, behind);
    WORD.lastIndex = start;
    const word = start > behind ? WORD.exec(text) : null;
    if (word !== null) return word[0];
  }
  return null;
}

/**
 * The contents of the box whose closing brace comes last, nested braces kept; without a braced one, the word behind the first
 * `\boxed` and whitespace. Null where there is neither, and where a closing brace anywhere has no opening one: the cookbook
 * raises then, however good the box before it. Unclosed braces do no harm. Linear in the length of the text.
 */
export function extractBoxed(text: string): string | null {
  const openings: number[] = [];
  let boxed: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x7b) openings.push(at);
    if (character !== 0x7d) continue;
    const opening = openings.pop();
    if (opening === undefined) return null;
    if (text.endsWith(BOX, opening)) boxed = text.slice(opening + 1, at);
  }
  return boxed ?? unbracedBox(text);
}
