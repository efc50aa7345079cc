/** Taking texts apart and finding parts in them, as Python's str does. */
import { LINE_ENDS, WHITE_SPACE } from '@rl-playground/base/pythonText';
import { lengthOfText, pointsOf, TemplateError, type Value } from './values.ts';
import { spend, spendOn, spendOnParts } from './work.ts';

export type Side = 'both' | 'start' | 'end';

/** Python's `str.strip(characters)`, `lstrip` and `rstrip`. */
export function stripped(text: string, characters: string = WHITE_SPACE, side: Side = 'both'): string {
  spendOn(characters.length + text.length);
  const set = new Set(characters);
  let from = 0;
  let to = text.length;
  for (const point of side === 'end' ? '' : text) {
    if (!set.has(point)) break;
    from += point.length;
  }
  while (side !== 'start' && to > from) {
    const last = text.codePointAt(to - 2) ?? 0;
    const point = text.slice(last > 0xffff && to - 2 >= from ? to - 2 : to - 1, to);
    if (!set.has(point)) break;
    to -= point.length;
  }
  return text.slice(from, to);
}

const LINE_END = new RegExp(`\r\n|[${LINE_ENDS}]`, 'g');

/** Python's `str.splitlines`. */
export function linesOf(text: string, keepEnds = false): string[] {
  spendOn(text.length);
  const lines: string[] = [];
  let from = 0;
  for (const match of text.matchAll(LINE_END)) {
    const end = match.index + match[0].length;
    lines.push(text.slice(from, keepEnds ? end : match.index));
    from = end;
  }
  if (from < text.length) lines.push(text.slice(from));
  return lines;
}

const SPACES = new RegExp(`[${WHITE_SPACE}]+`, 'u');

function words(text: string): string[] {
  const found = text.split(SPACES).filter((word) => word !== '');
  spend(found.length);
  return found;
}

/** Words between white space, with at most `most` cuts. */
function splitAtSpace(text: string, most: number): string[] {
  const found: string[] = [];
  let rest = stripped(text, WHITE_SPACE, 'start');
  while (rest !== '') {
    const end = found.length === most ? -1 : rest.search(SPACES);
    if (end < 0) return [...found, rest];
    found.push(rest.slice(0, end));
    rest = stripped(rest.slice(end), WHITE_SPACE, 'start');
  }
  return found;
}

const reversedText = (text: string): string => [...pointsOf(text)].reverse().join('');

/** Python's `str.split` and `str.rsplit`; a separator of null is white space, and `most` below 0 means all. */
export function split(text: string, separator: string | null, most: number, fromEnd: boolean): string[] {
  spendOn(text.length);
  if (separator === '') throw new TemplateError('empty separator');
  if (separator === null) {
    if (!fromEnd) return most < 0 ? words(text) : splitAtSpace(text, most);
    return most < 0 ? words(text) : splitAtSpace(reversedText(text), most).map(reversedText).reverse();
  }
  const parts = text.split(separator);
  spend(parts.length);
  if (most < 0 || parts.length <= most + 1) return parts;
  if (fromEnd) {
    const at = parts.length - most;
    return [parts.slice(0, at).join(separator), ...parts.slice(at)];
  }
  return [...parts.slice(0, most), parts.slice(most).join(separator)];
}

/** Python's `str.partition` and `rpartition`. */
export function partition(text: string, separator: string, fromEnd: boolean): [string, string, string] {
  if (separator === '') throw new TemplateError('empty separator');
  spendOn(text.length);
  const at = fromEnd ? text.lastIndexOf(separator) : text.indexOf(separator);
  if (at < 0) return fromEnd ? ['', '', text] : [text, '', ''];
  return [text.slice(0, at), separator, text.slice(at + separator.length)];
}

/** Python's `str.replace`; `most` below 0 means all. */
export function replaced(text: string, old: string, by: string, most: number): string {
  spendOnParts(text.length);
  const parts = old === '' ? ['', ...pointsOf(text), ''] : text.split(old);
  const cuts = most < 0 ? parts.length - 1 : Math.min(most, parts.length - 1);
  spendOn(text.length + cuts * by.length);
  const result =
    parts.slice(0, cuts + 1).join(by) +
    parts
      .slice(cuts + 1)
      .map((part) => old + part)
      .join('');
  spendOn(result.length);
  return result;
}

/** The part of a text between two positions, counted as Python counts them, with the position where it begins. */
export function window(
  text: string,
  from: Value | undefined,
  to: Value | undefined,
): { readonly part: string; readonly start: number } | null {
  spendOn(text.length);
  if (from == null && to == null) return { part: text, start: 0 };
  const points = pointsOf(text);
  const place = (value: Value | undefined, usual: number): number => {
    if (value === undefined || value === null) return usual;
    if (typeof value !== 'bigint' && typeof value !== 'boolean')
      throw new TemplateError('slice indices must be integers or None or have an __index__ method');
    const at = Number(value);
    return at < 0 ? Math.max(at + points.length, 0) : at;
  };
  const start = place(from, 0);
  const end = Math.min(place(to, points.length), points.length);
  return start > end ? null : { part: points.slice(start, end).join(''), start };
}

/** Python's `str.find` and `rfind`: −1 where the part is not found. */
export function found(
  text: string,
  part: string,
  bounds: readonly (Value | undefined)[],
  fromEnd: boolean,
): number {
  const within = window(text, bounds[0], bounds[1]);
  if (within === null) return -1;
  const at = fromEnd ? within.part.lastIndexOf(part) : within.part.indexOf(part);
  return at < 0 ? -1 : within.start + lengthOfText(within.part.slice(0, at));
}

/** Python's `str.count`. */
export function occurrences(text: string, part: string, bounds: readonly (Value | undefined)[]): number {
  const within = window(text, bounds[0], bounds[1]);
  if (within === null) return 0;
  spendOnParts(within.part.length);
  return part === '' ? lengthOfText(within.part) + 1 : within.part.split(part).length - 1;
}

/** Python's `str.expandtabs`. */
export function withoutTabs(text: string, size: number): string {
  let column = 0;
  const pieces = pointsOf(text).map((point) => {
    if (point === '\t') {
      const width = size > 0 ? size - (column % size) : 0;
      column += width;
      spendOn(width);
      return ' '.repeat(width);
    }
    column = point === '\n' || point === '\r' ? 0 : column + 1;
    return point;
  });
  const result = pieces.join('');
  spendOn(result.length);
  return result;
}

/** A text in the middle of a width, or at one side of it. */
export function padded(text: string, width: number, side: 'left' | 'right' | 'center', fill = ' '): string {
  const missing = width - lengthOfText(text);
  if (missing <= 0) return text;
  spendOn(width);
  if (side === 'left') return text + fill.repeat(missing);
  if (side === 'right') return fill.repeat(missing) + text;
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}
