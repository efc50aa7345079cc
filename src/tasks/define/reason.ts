/** Words for why an answer earned what it did. A scorer makes them where it decides, so that nobody guesses afterwards. */

/** Characters of an answer that are repeated. */
const MOST_SHOWN = 40;

const RIGHT = 'Right.';
const NUMBER = /^[-+−]?[\d.,/]+%?$/;

/** Gives a number as it is, and any other text between quotes. */
function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line === '') return 'an empty text';
  const start = line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
  return NUMBER.test(line) ? start : `“${start}”`;
}

/** An answer that was read, its verdict, and its place. */
export interface Judged {
  readonly correct: boolean;
  /** The answer, or null if nothing could be read. */
  readonly read: string | null;
  /** The true answer; left out where it is not the only one. */
  readonly truth?: string;
  /** The place of the answer, such as `after [ANSWER]`. */
  readonly place?: string;
  /** The thing that was looked for, if nothing was read. */
  readonly wanted?: string;
}

/** `Right.`, `Wrong: found 12, expected 15.`, or `No number found.` */
export function judged({ correct, read, truth, place, wanted = 'answer' }: Judged): string {
  if (correct) return RIGHT;
  if (read === null) return `No ${wanted} found.`;
  const found = `Wrong: found ${shown(read)}${place === undefined ? '' : ` ${place}`}`;
  return truth === undefined || truth === '' ? `${found}.` : `${found}, expected ${shown(truth)}.`;
}

/** Adds the error in the format, if there is one, to a verdict. */
export function withFault(verdict: string, fault: string | null): string {
  if (fault === null) return verdict;
  if (verdict === RIGHT) return `Right, but ${fault}.`;
  return `${verdict} ${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`;
}

/** A share in percent, such as `67%`. */
export function shareText(share: number): string {
  return `${Math.round(share * 100)}%`;
}
