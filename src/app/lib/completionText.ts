/** A completion cut into what is drawn differently: plain text, runs of spaces or line breaks, the answer tag. */
export interface TextSegment {
  readonly kind: 'text' | 'spaces' | 'newlines' | 'tag';
  readonly text: string;
}

const TAG = '[ANSWER]';
const PIECES = /\[ANSWER\]|\n+|[ \t]+/g;

function kindOf(piece: string): TextSegment['kind'] {
  if (piece === TAG) return 'tag';
  return piece.startsWith('\n') ? 'newlines' : 'spaces';
}

/** The segments joined give `text` back. The tag is the literal, case-sensitive one that the reward looks for. */
export function segments(text: string): TextSegment[] {
  const found: TextSegment[] = [];
  let end = 0;
  for (const match of text.matchAll(PIECES)) {
    if (match.index > end) found.push({ kind: 'text', text: text.slice(end, match.index) });
    found.push({ kind: kindOf(match[0]), text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ kind: 'text', text: text.slice(end) });
  return found;
}
