import { memo, type ReactNode } from 'react';
import classes from './CompletionText.module.css';

/** A part of a completion that is drawn in its own way. */
export interface TextSegment {
  readonly kind: 'text' | 'spaces' | 'newlines' | 'tag';
  readonly text: string;
}

/** The marks of a result that some tasks ask for. */
const TAGS: ReadonlySet<string> = new Set(['[ANSWER]', '<answer>', '</answer>', '\\boxed']);
const PIECES = /\[ANSWER\]|<\/?answer>|\\boxed|\n+|[ \t]+/g;

function kindOf(piece: string): TextSegment['kind'] {
  if (TAGS.has(piece)) return 'tag';
  return piece.startsWith('\n') ? 'newlines' : 'spaces';
}

/** Cuts a text into segments, which give the text back when they are joined. Tags are the literal ones that rewards look for. */
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

/** The model's text to the character: spaces dotted, line breaks marked, the answer tag highlighted. */
export const CompletionText = memo(function CompletionText({ text }: { text: string }): ReactNode {
  if (text === '') return <i className="quiet">(empty answer)</i>;
  return (
    <code className={`mono ${classes.text}`}>
      {segments(text).map((segment, index) => {
        if (segment.kind === 'tag')
          return (
            <mark key={index} className={classes.tag}>
              {segment.text}
            </mark>
          );
        const { length } = segment.text;
        // Breaks in a row, which a collapsed model writes by the dozen, take one line with their number.
        const shown = segment.kind === 'newlines' ? `${length > 1 ? `×${length}` : ''}\n` : segment.text;
        return (
          <span key={index} className={classes[segment.kind]}>
            {shown}
          </span>
        );
      })}
    </code>
  );
});
