/**
 * Reads the regular expressions of `tokenizer.json`. They are in Oniguruma's language with Ruby's syntax, in which `^` and `$` are the ends
 * of lines, `a++` gives nothing back and classes can be nested. What is read can be written as JavaScript (`expression.ts`) and tried with
 * its steps counted (`patternSteps.ts`).
 */
import {
  type Cursor,
  anyCase,
  classFrom,
  codeFrom,
  propertyFrom,
  setOf,
  setOfLetter,
} from './onigurumaSets.ts';

export type Pattern =
  /** One character of a set, which is a class of JavaScript under the flag v. */
  | { readonly kind: 'character'; readonly set: string }
  /** A place between characters, in JavaScript. */
  | { readonly kind: 'place'; readonly source: string }
  | { readonly kind: 'all'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly options: readonly Pattern[] }
  | {
      readonly kind: 'repeat';
      readonly of: Pattern;
      readonly from: number;
      readonly to: number;
      readonly isGreedy: boolean;
    }
  | { readonly kind: 'look'; readonly of: Pattern; readonly isAhead: boolean; readonly isWanted: boolean }
  /** Gives nothing back once it matched. */
  | { readonly kind: 'atomic'; readonly of: Pattern };

interface Flags {
  readonly ignoresCase: boolean;
  readonly dotMatchesAll: boolean;
  readonly isExtended: boolean;
}

const LONGEST_PATTERN = 100_000;
const NO_FLAGS: Flags = { ignoresCase: false, dotMatchesAll: false, isExtended: false };

const PLACES: Readonly<Record<string, string>> = {
  A: '^',
  z: '$',
  Z: '(?=\\n?$)',
};
const LINE_START = '(?:^|(?<=\\n)(?!$))';
const LINE_END = '(?=\\n|$)';
const WORD = setOfLetter('w');
const BORDER = `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`;
const NO_BORDER = `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`;

/** Letters that one character can stand for if case is ignored, as ß does for ss. */
const TOGETHER = ['ss', 'ff', 'fi', 'fl', 'st', 'ʼn', 'i̇'];

const GROUPS: readonly (readonly [string, (of: Pattern) => Pattern])[] = [
  ['?:', (of) => of],
  ['?=', (of) => ({ kind: 'look', of, isAhead: true, isWanted: true })],
  ['?!', (of) => ({ kind: 'look', of, isAhead: true, isWanted: false })],
  ['?<=', (of) => ({ kind: 'look', of, isAhead: false, isWanted: true })],
  ['?<!', (of) => ({ kind: 'look', of, isAhead: false, isWanted: false })],
  ['?>', (of) => ({ kind: 'atomic', of })],
];

const place = (source: string): Pattern => ({ kind: 'place', source });

/** The fewest and the most characters that a pattern matches. */
export function widthsOf(pattern: Pattern): readonly [least: number, most: number] {
  switch (pattern.kind) {
    case 'character':
      return [1, 1];
    case 'place':
    case 'look':
      return [0, 0];
    case 'atomic':
      return widthsOf(pattern.of);
    case 'repeat': {
      const [least, most] = widthsOf(pattern.of);
      return [least * pattern.from, most === 0 ? 0 : most * pattern.to];
    }
    case 'all':
      return pattern.parts.map(widthsOf).reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
    case 'choice':
      return pattern.options
        .map(widthsOf)
        .reduce(([a, b], [c, d]) => [Math.min(a, c), Math.max(b, d)], [Infinity, 0]);
  }
}

export const literal = (code: number): Pattern => ({ kind: 'character', set: setOf(code) });

export class PatternReader {
  readonly #cursor: Cursor;

  constructor(text: string) {
    this.#cursor = { text, at: 0 };
  }

  /** @throws Error that says what of the pattern is not built. */
  read(): Pattern {
    if (this.#cursor.text.length > LONGEST_PATTERN)
      throw new Error(`a pattern of more than ${LONGEST_PATTERN} characters is not built`);
    const pattern = this.#choice(NO_FLAGS);
    if (this.#cursor.at < this.#cursor.text.length) this.#refuse(')');
    return pattern;
  }

  #refuse(what: string): never {
    throw new Error(`${what} at character ${this.#cursor.at + 1} of it is not built`);
  }

  #starts(text: string): boolean {
    return this.#cursor.text.startsWith(text, this.#cursor.at);
  }

  #take(text: string): boolean {
    if (!this.#starts(text)) return false;
    this.#cursor.at += text.length;
    return true;
  }

  /** Matches a sticky expression here and moves behind it. */
  #taken(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#cursor.at;
    const found = expression.exec(this.#cursor.text);
    if (found !== null) this.#cursor.at += found[0].length;
    return found;
  }

  get #isAtEnd(): boolean {
    return this.#cursor.at >= this.#cursor.text.length || this.#starts(')');
  }

  #choice(flags: Flags): Pattern {
    const [first, ...others] = this.#options(flags);
    if (first === undefined) return { kind: 'all', parts: [] };
    return others.length === 0 ? first : { kind: 'choice', options: [first, ...others] };
  }

  *#options(flags: Flags): Generator<Pattern> {
    do yield this.#sequence(flags);
    while (this.#take('|'));
  }

  #sequence(flags: Flags): Pattern {
    const parts: Pattern[] = [];
    let before = '';
    for (;;) {
      if (flags.isExtended) this.#taken(/(?:\s|#[^\n]*)*/y);
      if (this.#isAtEnd || this.#starts('|')) break;
      const options = this.#taken(/\(\?([imx]*)(?:-([imx]*))?\)/y);
      if (options !== null) {
        // They hold for the rest of the group, further alternatives included.
        parts.push(this.#choice(withFlags(flags, options)));
        break;
      }
      const from = this.#cursor.at;
      const atom = this.#atom(flags);
      const own = this.#cursor.text.slice(from, this.#cursor.at).toLowerCase();
      if (flags.ignoresCase && TOGETHER.includes(before + own))
        this.#refuse(`${before}${own} in any case, which one character can stand for,`);
      before = own;
      parts.push(this.#repeated(atom));
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'all', parts };
  }

  #repeated(atom: Pattern): Pattern {
    const found = this.#taken(/[*+?]|\{(?:(\d+)(,?)(\d*)|,(\d+))\}/y);
    if (found === null) return atom;
    if (atom.kind === 'place' || atom.kind === 'look') this.#refuse('a repeated place');
    const [sign, least, comma, most, mostAlone] = found;
    const from = sign === '+' ? 1 : Number(least ?? 0);
    let to = Infinity;
    if (sign === '?') to = 1;
    else if (mostAlone !== undefined) to = Number(mostAlone);
    else if (least !== undefined && comma === '') to = from;
    else if (most !== undefined && most !== '') to = Number(most);
    if (from > to) this.#refuse(sign);
    if (widthsOf(atom)[0] === 0) this.#refuse('a repeated part that can match an empty text');
    const isInterval = sign.startsWith('{');
    if (isInterval && from === to && this.#starts('?')) this.#refuse(`${sign}?`);
    const isLazy = this.#take('?');
    const repeat: Pattern = { kind: 'repeat', of: atom, from, to, isGreedy: !isLazy };
    // Behind an interval a plus repeats the interval.
    const isPossessive = !isLazy && !isInterval && this.#take('+');
    return this.#repeated(isPossessive ? { kind: 'atomic', of: repeat } : repeat);
  }

  #atom(flags: Flags): Pattern {
    const { ignoresCase } = flags;
    if (this.#take('[')) return { kind: 'character', set: classFrom(this.#cursor, ignoresCase) };
    if (this.#take('(')) return this.#group(flags);
    if (this.#take('.')) return { kind: 'character', set: flags.dotMatchesAll ? '[\\p{Any}]' : '[^\\n]' };
    if (this.#take('^')) return place(LINE_START);
    if (this.#take('$')) return place(LINE_END);
    if (this.#starts('\\')) return this.#escape(ignoresCase);
    if (/[*+?]/.test(this.#cursor.text.charAt(this.#cursor.at))) this.#refuse('a quantifier of nothing');
    return this.#literal(codeFrom(this.#cursor), ignoresCase);
  }

  #literal(code: number, ignoresCase: boolean): Pattern {
    const set = setOf(code);
    return { kind: 'character', set: ignoresCase ? anyCase(set) : set };
  }

  #group(flags: Flags): Pattern {
    if (this.#taken(/\?#[^)]*\)/y) !== null) return { kind: 'all', parts: [] };
    const options = this.#taken(/\?([imx]*)(?:-([imx]*))?:/y);
    const [sign, wrap] =
      options === null ? (GROUPS.find(([start]) => this.#starts(start)) ?? []) : ['', undefined];
    if (options === null && sign !== undefined) this.#take(sign);
    else if (options === null && this.#taken(/\?<[\p{L}_][\p{L}\p{N}_]*>/uy) === null && this.#starts('?'))
      this.#refuse(`(${this.#cursor.text.slice(this.#cursor.at, this.#cursor.at + 2)}`);
    const of = this.#choice(options === null ? flags : withFlags(flags, options));
    if (!this.#take(')')) this.#refuse('a group without its end');
    return wrap?.(of) ?? of;
  }

  #escape(ignoresCase: boolean): Pattern {
    const letter = this.#cursor.text.charAt(this.#cursor.at + 1);
    const source = { ...PLACES, b: BORDER, B: NO_BORDER }[letter];
    if (source !== undefined) {
      this.#cursor.at += 2;
      return place(source);
    }
    const set = propertyFrom(this.#cursor);
    return set === null ? this.#literal(codeFrom(this.#cursor), ignoresCase) : { kind: 'character', set };
  }
}

/** The flags with those of a group such as `(?i-m:…)`. */
function withFlags(flags: Flags, [, on = '', off = '']: RegExpExecArray): Flags {
  const isOn = (letter: string, was: boolean): boolean =>
    !off.includes(letter) && (was || on.includes(letter));
  return {
    ignoresCase: isOn('i', flags.ignoresCase),
    dotMatchesAll: isOn('m', flags.dotMatchesAll),
    isExtended: isOn('x', flags.isExtended),
  };
}
