/** Two texts compared with a person's wishes on case and whitespace. */
import { stripSpace } from '../../python/text.ts';

export interface TextOptions {
  readonly ignoreCase: boolean;
  /** Whitespace at the ends does not count, and a run of it inside counts as one space. */
  readonly ignoreSpace: boolean;
}

function normalize(text: string, { ignoreCase, ignoreSpace }: TextOptions): string {
  const spaced = ignoreSpace ? stripSpace(text).replaceAll(/\s+/g, ' ') : text;
  // Composed, since keyboards and files differ in how they write an accent.
  return (ignoreCase ? spaced.toLowerCase() : spaced).normalize('NFC');
}

export function sameText(given: string, truth: string, options: TextOptions): boolean {
  return normalize(given, options) === normalize(truth, options);
}
