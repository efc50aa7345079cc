/** The filters of Jinja2 for texts. */
import { ownAttribute } from './attributes.ts';
import { bound, intArgument, positional, softText, textArgument } from './given.ts';
import { escaped } from './html.ts';
import type { Filter } from './listFilters.ts';
import { percentFormatted } from './percentFormat.ts';
import { repr, str } from './printing.ts';
import { WHITE_SPACE } from '@rl-playground/base/pythonText';
import { capitalized } from './textCases.ts';
import { linesOf, padded, replaced, split, stripped } from './textParts.ts';
import { spaces, toJson } from './toJson.ts';
import {
  characterAt,
  Dict,
  each,
  isTrue,
  iteratorOf,
  lengthOf,
  lengthOfText,
  listOf,
  Markup,
  pointsOf,
  TemplateError,
  textOf,
  Tuple,
  typeName,
  Undefined,
  type Given,
  type Value,
} from './values.ts';
import { wholeNumber } from './operators.ts';
import { spendOn, spendOnParts } from './work.ts';

/** A filter without arguments that makes a text of a text. */
const plain =
  (name: string, of: (text: string) => Value): Filter =>
  (value, given) => {
    positional(name, given, 0);
    const text = softText(value);
    spendOn(text.length);
    return of(text);
  };

/** A filter whose result is marked as safe where its value is. */
const keepingMark =
  (filter: (text: string, given: Given) => string): Filter =>
  (value, given) => {
    const text = filter(softText(value), given);
    return value instanceof Markup ? new Markup(text) : text;
  };

/** Each word in lower case with an upper-case beginning. A word begins behind space, a dash or an opening bracket. */
function titled(text: string): string {
  spendOnParts(text.length);
  return text
    .split(new RegExp(`([-${WHITE_SPACE}({\\[<]+)`))
    .map((word) => {
      const first = characterAt(word, 0) ?? '';
      return first.toUpperCase() + word.slice(first.length).toLowerCase();
    })
    .join('');
}

function trim(text: string, given: Given): string {
  const [characters = null] = bound('trim', given, ['chars']);
  return stripped(text, characters === null ? undefined : textArgument('trim', characters));
}

function center(text: string, given: Given): string {
  const [width] = bound('center', given, ['width']);
  return padded(text, intArgument(width, 80), 'center');
}

function replace(value: Value, given: Given): string {
  const [old = null, by = null, count = null] = bound('replace', given, ['old', 'new', 'count'], 2);
  return replaced(str(value), str(old), str(by), count === null ? -1 : Number(wholeNumber(count)));
}

function usual(value: Value, given: Given): Value {
  const [otherwise = '', alsoFalse = false] = bound('default', given, ['default_value', 'boolean']);
  return value instanceof Undefined || (isTrue(alsoFalse) && !isTrue(value)) ? otherwise : value;
}

function indent(value: Value, given: Given): string {
  const [width = 4n, first = false, blank = false] = bound('indent', given, ['width', 'first', 'blank']);
  const margin = textOf(width) ?? spaces(wholeNumber(width));
  if (value instanceof Undefined) return value.raise();
  if (typeof value !== 'string')
    throw new TemplateError(`a ${typeName(value)} can't be indented; only a str can`);
  const lines = linesOf(`${value}\n`);
  spendOn(value.length + lines.length * margin.length);
  const shown = lines.map((line, i) => (i > 0 && (isTrue(blank) || line !== '') ? margin + line : line));
  return (isTrue(first) ? margin : '') + shown.join('\n');
}

function truncate(value: Value, given: Given): Value {
  const names = ['length', 'killwords', 'end', 'leeway'];
  const [length = 255n, cutWords = false, end = '...', leeway = null] = bound('truncate', given, names);
  const most = Number(wholeNumber(length));
  const mark = textArgument('truncate', end);
  const more = leeway === null ? 5 : Number(wholeNumber(leeway));
  if (most < lengthOfText(mark))
    throw new TemplateError(`expected length >= ${lengthOfText(mark)}, got ${most}`);
  if (more < 0) throw new TemplateError(`expected leeway >= 0, got ${more}`);
  const size = lengthOf(value);
  if (size === undefined) throw new TemplateError(`object of type '${typeName(value)}' has no len()`);
  if (size <= most + more) return value;
  const text = textArgument('truncate', value);
  const kept = pointsOf(text)
    .slice(0, most - lengthOfText(mark))
    .join('');
  return (isTrue(cutWords) ? kept : (split(kept, ' ', 1, true)[0] ?? '')) + mark;
}

function wordCount(text: string): bigint {
  spendOnParts(text.length);
  return BigInt((text.match(/[\p{L}\p{N}_]+/gu) ?? []).length);
}

/** The text without the parts from an opening mark to the next closing one. Its time is linear. */
function without(text: string, open: string, close: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, from)) {
    const end = text.indexOf(close, at);
    if (end < 0) break;
    kept.push(text.slice(from, at));
    from = end + close.length;
  }
  return kept.join('') + text.slice(from);
}

function withoutTags(text: string): string {
  const plainText = without(without(text, '<!--', '-->'), '<', '>');
  if (plainText.includes('&'))
    throw new TemplateError(
      'the names of characters in HTML (&…;) are not known here, so striptags can’t be done',
    );
  return split(plainText, null, -1, false).join(' ');
}

function quoteForUrl(value: Value, inQuery: boolean): string {
  const plainText = str(value);
  spendOnParts(plainText.length);
  const text = encodeURIComponent(plainText).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  spendOn(text.length);
  return inQuery ? text.replaceAll('%20', '+') : text.replaceAll('%2F', '/');
}

function urlencode(value: Value, given: Given): string {
  positional('urlencode', given, 0);
  if (textOf(value) !== null || iteratorOf(value) === undefined) return quoteForUrl(value, false);
  const pairs = value instanceof Dict ? value.entries() : [...each(value)].map(listOf);
  return pairs
    .map((pair) => {
      if (pair.length !== 2) throw new TemplateError('urlencode takes pairs of a name and a value');
      return `${quoteForUrl(pair[0] ?? null, true)}=${quoteForUrl(pair[1] ?? null, true)}`;
    })
    .join('&');
}

function format(value: Value, { args, named }: Given): string {
  if (args.length > 0 && named.size > 0)
    throw new TemplateError("can't handle positional and keyword arguments at the same time");
  return percentFormatted(softText(value), named.size > 0 ? new Dict(named) : new Tuple(args));
}

function attr(value: Value, given: Given): Value {
  const name = textArgument('attr', bound('attr', given, ['name'], 1)[0]);
  const found = ownAttribute(value, name);
  if (found !== undefined) return found;
  return new Undefined(`'${typeName(value)} object' has no attribute ${repr(name)}`);
}

/** Filters whose text depends on chance, or on rules for HTML and line breaks that no chat template needs. */
const refused = (name: string, why: string): [string, Filter] => [
  name,
  () => {
    throw new TemplateError(`the filter ${name} is not done here: ${why}`);
  },
];

export const TEXT_FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ['upper', plain('upper', (text) => text.toUpperCase())],
  ['lower', plain('lower', (text) => text.toLowerCase())],
  ['capitalize', plain('capitalize', capitalized)],
  ['title', plain('title', titled)],
  ['wordcount', plain('wordcount', wordCount)],
  ['striptags', plain('striptags', withoutTags)],
  ['trim', keepingMark(trim)],
  ['center', keepingMark(center)],
  ['replace', replace],
  ['default', usual],
  ['d', usual],
  ['indent', indent],
  ['truncate', truncate],
  ['urlencode', urlencode],
  ['format', format],
  ['attr', attr],
  ['tojson', toJson],
  ['escape', (value) => new Markup(escaped(value))],
  ['e', (value) => new Markup(escaped(value))],
  ['forceescape', (value) => new Markup(escaped(str(value)))],
  ['safe', (value) => new Markup(str(value))],
  ['string', (value) => (value instanceof Markup ? value : str(value))],
  refused('random', 'its result would be another each time'),
  refused('pprint', 'its line breaks follow the width of a terminal'),
  refused('urlize', 'it makes links of HTML'),
  refused('xmlattr', 'it makes attributes of XML'),
  refused('wordwrap', 'it follows the rules of Python’s textwrap'),
]);
