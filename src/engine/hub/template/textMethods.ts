/** The methods of Python's str. */
import { bound, intArgument, positional, textArgument } from './given.ts';
import { repr } from './printing.ts';
import { capitalized, folded, isOfKind, swapped, titleCased } from './textCases.ts';
import * as parts from './textParts.ts';
import {
  Bytes,
  each,
  lengthOfText,
  TemplateError,
  textOf,
  Tuple,
  typeName,
  isTrue,
  type Given,
  type Value,
} from './values.ts';
import { spendOn } from './work.ts';

type Method = (text: string, given: Given) => Value;

/** A method without arguments. */
const plain =
  (name: string, of: (text: string) => Value): Method =>
  (text, given) => {
    positional(name, given, 0);
    spendOn(text.length);
    return of(text);
  };

const strip =
  (name: string, side: parts.Side): Method =>
  (text, given) => {
    const [characters] = positional(name, given, 1);
    if (characters == null) return parts.stripped(text, undefined, side);
    if (textOf(characters) === null)
      throw new TemplateError(`${name} arg must be None or str, not ${typeName(characters)}`);
    return parts.stripped(text, textArgument(name, characters), side);
  };

const split =
  (name: string, fromEnd: boolean): Method =>
  (text, given) => {
    const [separator, most] = bound(name, given, ['sep', 'maxsplit']);
    const at = separator == null ? null : textArgument(name, separator);
    return parts.split(text, at, intArgument(most, -1), fromEnd);
  };

const partition =
  (name: string, fromEnd: boolean): Method =>
  (text, given) => {
    const [separator] = positional(name, given, 1, 1);
    return new Tuple(parts.partition(text, textArgument(name, separator), fromEnd));
  };

const find =
  (name: string, fromEnd: boolean, must: boolean): Method =>
  (text, given) => {
    const [part, ...bounds] = positional(name, given, 3, 1);
    const at = parts.found(text, textArgument(name, part), bounds, fromEnd);
    if (at < 0 && must) throw new TemplateError('substring not found');
    return BigInt(at);
  };

/** `startswith` and `endswith`, of one text or any of a tuple. */
const hasSide =
  (name: string, test: (part: string, side: string) => boolean): Method =>
  (text, given) => {
    const [side = null, ...bounds] = positional(name, given, 3, 1);
    const sides = side instanceof Tuple ? side.items : [side];
    spendOn(sides.length);
    const within = parts.window(text, bounds[0], bounds[1]);
    return sides.some((one) => {
      const wanted = textOf(one);
      if (wanted === null)
        throw new TemplateError(`${name} first arg must be str or a tuple of str, not ${typeName(one)}`);
      return within !== null && test(within.part, wanted);
    });
  };

const pad =
  (name: string, side: 'left' | 'right' | 'center'): Method =>
  (text, given) => {
    const [width, fill] = positional(name, given, 2, 1);
    const mark = fill === undefined ? ' ' : textArgument(name, fill);
    if (lengthOfText(mark) !== 1)
      throw new TemplateError('The fill character must be exactly one character long');
    return parts.padded(text, intArgument(width, 0), side, mark);
  };

function join(text: string, given: Given): string {
  const [values = null] = positional('join', given, 1, 1);
  const pieces: string[] = [];
  for (const value of each(values)) {
    const piece = textOf(value);
    if (piece === null)
      throw new TemplateError(
        `sequence item ${pieces.length}: expected str instance, ${typeName(value)} found`,
      );
    spendOn(piece.length + text.length);
    pieces.push(piece);
  }
  const result = pieces.join(text);
  spendOn(result.length);
  return result;
}

function replace(text: string, given: Given): string {
  const [old, by, count] = bound('replace', given, ['', ' ', 'count'], 2);
  return parts.replaced(
    text,
    textArgument('replace', old),
    textArgument('replace', by),
    intArgument(count, -1),
  );
}

function zeroFilled(text: string, given: Given): string {
  const [width] = positional('zfill', given, 1, 1);
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  return sign + parts.padded(text.slice(sign.length), intArgument(width, 0) - sign.length, 'right', '0');
}

function encode(text: string, given: Given): Bytes {
  const [encoding = 'utf-8', errors] = bound('encode', given, ['encoding', 'errors']);
  const plainName = textArgument('encode', encoding).toLowerCase().replace('_', '-');
  if (errors !== undefined || !['utf-8', 'utf8'].includes(plainName) || /\p{Cs}/u.test(text))
    throw new TemplateError(`encode(${repr(encoding)}) is not known here; only utf-8 is`);
  spendOn(text.length);
  return new Bytes(new TextEncoder().encode(text));
}

const METHODS = new Map<string, Method>([
  ['upper', plain('upper', (text) => text.toUpperCase())],
  ['lower', plain('lower', (text) => text.toLowerCase())],
  ['capitalize', plain('capitalize', capitalized)],
  ['title', plain('title', titleCased)],
  ['swapcase', plain('swapcase', swapped)],
  ['casefold', plain('casefold', folded)],
  ['strip', strip('strip', 'both')],
  ['lstrip', strip('lstrip', 'start')],
  ['rstrip', strip('rstrip', 'end')],
  ['split', split('split', false)],
  ['rsplit', split('rsplit', true)],
  ['partition', partition('partition', false)],
  ['rpartition', partition('rpartition', true)],
  ['find', find('find', false, false)],
  ['rfind', find('rfind', true, false)],
  ['index', find('index', false, true)],
  ['rindex', find('rindex', true, true)],
  ['startswith', hasSide('startswith', (part, side) => part.startsWith(side))],
  ['endswith', hasSide('endswith', (part, side) => part.endsWith(side))],
  ['center', pad('center', 'center')],
  ['ljust', pad('ljust', 'left')],
  ['rjust', pad('rjust', 'right')],
  ['zfill', zeroFilled],
  ['join', join],
  ['replace', replace],
  ['encode', encode],
  [
    'count',
    (text, given) => {
      const [part, ...bounds] = positional('count', given, 3, 1);
      return BigInt(parts.occurrences(text, textArgument('count', part), bounds));
    },
  ],
  [
    'splitlines',
    (text, given) => {
      const [keep = false] = bound('splitlines', given, ['keepends']);
      return parts.linesOf(text, isTrue(keep));
    },
  ],
  [
    'expandtabs',
    (text, given) => {
      const [size] = bound('expandtabs', given, ['tabsize']);
      return parts.withoutTabs(text, intArgument(size, 8));
    },
  ],
  [
    'removeprefix',
    (text, given) => {
      const prefix = textArgument('removeprefix', positional('removeprefix', given, 1, 1)[0]);
      return text.startsWith(prefix) ? text.slice(prefix.length) : text;
    },
  ],
  [
    'removesuffix',
    (text, given) => {
      const suffix = textArgument('removesuffix', positional('removesuffix', given, 1, 1)[0]);
      return suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
    },
  ],
]);

/** The method of a str; null if Python's str has none of that name. */
export function textMethod(name: string): Method | null {
  const method = METHODS.get(name);
  if (method !== undefined) return method;
  if (isOfKind(name, '') !== null) return plain(name, (text) => isOfKind(name, text));
  if (name !== 'translate' && name !== 'maketrans') return null;
  throw new TemplateError(`the method ${name} of a text is not known here`);
}
