/** Words for why an answer earned what it did. A scorer makes them where it decides, so that nobody guesses afterwards. */

/** Characters of an answer that are repeated. */
const MOST_SHOWN = 40;

const NUMBER = /^[-+−]?[\d.,/]+%?$/;

/** A number as it is, any other text between quotes. */
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
  /** The place of the answer, such as `behind [ANSWER]`. */
  readonly place?: string;
  /** The thing that was looked for, if nothing was read. */
  readonly wanted?: string;
}

/** `right`, `wrong: read 12, true answer 15`, or `no number found`. */
export function judged({ correct, read, truth, place, wanted = 'answer' }: Judged): string {
  if (correct) return 'right';
  if (read === null) return `no ${wanted} found`;
  const found = `wrong: read ${shown(read)}${place === undefined ? '' : ` ${place}`}`;
  return truth === undefined || truth === '' ? found : `${found}, true answer ${shown(truth)}`;
}

/** Adds the error in the form, if there is one, to a verdict. */
export function withFault(verdict: string, fault: string | null): string {
  if (fault === null) return verdict;
  return verdict === 'right' ? `right, but ${fault}` : `${verdict}; ${fault}`;
}

/** `67%`, for shares of steps, letters or tags. */
export function shareText(share: number): string {
  return `${Math.round(share * 100)}%`;
}
