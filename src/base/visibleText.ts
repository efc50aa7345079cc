/**
 * Characters that a terminal obeys where it should show them: control characters except line feed and tab, the C1
 * controls, and marks that turn the direction of the text behind them. An escape sequence in a stranger's file could
 * set a window's title or the clipboard (OSC 52), or make one line read as another.
 */
const ACTING = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** A text for a terminal: `\x1b` in place of an escape, `\u202e` in place of a mark. */
export function visibleText(text: string): string {
  return text.replace(ACTING, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}

/** JSON for a terminal: the same values, with `\u009b` and the like spelled out. */
export function visibleJson(json: string): string {
  return json.replace(ACTING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
