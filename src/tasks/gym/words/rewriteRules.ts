/** The twenty rules of `string_manipulation` for strings of `a`, `b` and `c`, each with what it says. */

export interface RewriteRule {
  readonly words: string;
  /** The new string; null where the rule does not apply. */
  apply(text: string): string | null;
}

function rule(
  words: string,
  applies: (text: string) => boolean,
  change: (text: string) => string,
): RewriteRule {
  return { words, apply: (text) => (applies(text) ? change(text) : null) };
}

const starts = (part: string, words: string, change: (rest: string) => string): RewriteRule =>
  rule(
    `If the string starts with '${part}', ${words}.`,
    (text) => text.startsWith(part),
    (text) => change(text.slice(part.length)),
  );

const ends = (part: string, words: string, change: (rest: string) => string): RewriteRule =>
  rule(
    `If the string ends with '${part}', ${words}.`,
    (text) => text.endsWith(part),
    (text) => change(text.slice(0, -part.length)),
  );

const contains = (part: string, words: string, replacement: string): RewriteRule =>
  rule(
    `If the string contains '${part}', ${words}.`,
    (text) => text.includes(part),
    (text) => text.replace(part, replacement),
  );

function countOf(text: string, letter: string): number {
  return text.split(letter).length - 1;
}

/** Longer strings lose their middle. */
const LONG = 15;

export const REWRITE_RULES: readonly RewriteRule[] = [
  starts('ab', "put 'ca' in its place", (rest) => `ca${rest}`),
  ends('ac', "put 'cb' in its place", (rest) => `${rest}cb`),
  starts('bc', "remove it and add 'aa' at the end", (rest) => `${rest}aa`),
  ends('bb', 'remove it', (rest) => rest),
  starts(
    'cb',
    "put 'aa' in its place and remove the last of the characters that follow, if any do",
    (rest) => `aa${rest.slice(0, -1)}`,
  ),
  starts('ca', "put 'bb' in its place and add 'c' at the end", (rest) => `bb${rest}c`),
  ends('cc', "put 'b' in its place and add 'a' at the start", (rest) => `a${rest}b`),
  starts('aa', 'remove the first character', (rest) => `a${rest}`),
  contains('abc', "put 'cab' in place of its first occurrence", 'cab'),
  contains('bca', 'remove its first occurrence', ''),
  ends('ba', "put 'ab' in its place", (rest) => `${rest}ab`),
  starts('cc', 'remove these two characters', (rest) => rest),
  contains('acb', "put its reverse, 'bca', in place of its first occurrence", 'bca'),
  ends('ca', 'remove the last character', (rest) => `${rest}c`),
  starts('bb', 'remove the second character', (rest) => `b${rest}`),
  ends('aa', "put 'cc' in its place", (rest) => `${rest}cc`),
  rule(
    "If the string contains 'ca' anywhere behind its first character, remove the first such occurrence.",
    (text) => text.includes('ca', 1),
    (text) => text.slice(0, 1) + text.slice(1).replace('ca', ''),
  ),
  rule(
    "If the string contains an even number of 'b's, and at least two, add 'ab' at the end.",
    (text) => countOf(text, 'b') > 0 && countOf(text, 'b') % 2 === 0,
    (text) => `${text}ab`,
  ),
  rule(
    `If the string has more than ${LONG} characters, remove the one in the middle (of two in the middle, the second).`,
    (text) => text.length > LONG,
    (text) => text.slice(0, text.length >> 1) + text.slice((text.length >> 1) + 1),
  ),
  starts('ac', "put 'zz' in its place", (rest) => `zz${rest}`),
];

/**
 * The string and what it becomes, step by step: each time by the first rule that applies, until none does or a string comes again, which
 * is left out. Null where `mostSteps` do not end it.
 */
export function rewrite(text: string, rules: readonly RewriteRule[], mostSteps: number): string[] | null {
  const states = [text];
  const seen = new Set(states);
  while (states.length <= mostSteps) {
    const last = states.at(-1) ?? '';
    let next: string | null = null;
    for (const each of rules) {
      next = each.apply(last);
      if (next !== null) break;
    }
    if (next === null || seen.has(next)) return states;
    states.push(next);
    seen.add(next);
  }
  return null;
}
