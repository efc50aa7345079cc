/** GSM8K's own notation of an answer. */
import { stripSpace } from '../python/text.ts';

const MARK = '####';
/** Where Python's `splitlines` ends a line; empty lines do not matter here. */
const LINE_ENDS = ['\r', '\v', '\f', '\x1c', '\x1d', '\x1e', '\x85', '\u2028', '\u2029'];

/**
 * The final answer of a solution: behind `####` on the last line that starts with it, without a colon and commas; else behind the
 * last `####` anywhere that something follows, as it stands. Null without either.
 */
export function gsm8kFinalAnswer(solution: string): string | null {
  const line = LINE_ENDS.reduce((text, end) => text.replaceAll(end, '\n'), solution)
    .split('\n')
    .map(stripSpace)
    .findLast((each) => each.startsWith(MARK));
  if (line !== undefined) {
    const content = stripSpace(line.slice(MARK.length));
    return stripSpace((content.startsWith(':') ? stripSpace(content.slice(1)) : content).replaceAll(',', ''));
  }
  const found = Array.from(solution.matchAll(/####\s*([^\n]+)/g)).at(-1)?.[1];
  return found === undefined ? null : stripSpace(found);
}
