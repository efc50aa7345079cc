/** Integers in JSON that a double can't hold. */

const MARKS_AND_WORDS = /["[\]{}:,]|[-+.\w]+/g;

/** The index behind the string that starts at `start`. */
function stringEnd(line: string, start: number): number {
  let at = start + 1;
  while (at < line.length && line[at] !== '"') at += line[at] === '\\' ? 2 : 1;
  return at + 1;
}

/**
 * How the integer under `key` is written in a line that holds a JSON object, the last one where the key is given more than once;
 * null where there is none, or something else than an integer. Linear in the length of the line.
 */
export function integerSource(line: string, key: string): string | null {
  let depth = 0;
  let [name, previous] = ['', ''];
  let found: string | null = null;
  MARKS_AND_WORDS.lastIndex = 0;
  for (let match = MARKS_AND_WORDS.exec(line); match !== null; match = MARKS_AND_WORDS.exec(line)) {
    let token = match[0];
    if (token === '"') {
      MARKS_AND_WORDS.lastIndex = stringEnd(line, match.index);
      token = line.slice(match.index, MARKS_AND_WORDS.lastIndex);
    }
    if (depth === 1 && token === ':') name = JSON.parse(previous) as string;
    else if (depth === 1 && previous === ':' && name === key) found = /^-?[0-9]+$/.test(token) ? token : null;
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
    previous = token;
  }
  return found;
}
