/** Python's `json.dumps`, as the filter `tojson` of chat templates calls it. */
import { bound } from './given.ts';
import { compare } from './operators.ts';
import { floatText, intText, str } from './printing.ts';
import {
  Dict,
  isList,
  isTrue,
  TemplateError,
  textOf,
  Tuple,
  typeName,
  type Given,
  type Value,
} from './values.ts';
import { spend, spendOn, TemplateLimitError } from './work.ts';
import { grouped } from '@rl-playground/base/text';

/** The most spaces before a line. */
const WIDEST_INDENT = 1000;

interface Style {
  readonly ascii: boolean;
  readonly indent: string | null;
  readonly between: string;
  readonly afterKey: string;
  readonly sorted: boolean;
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function jsonString(text: string, { ascii }: Style): string {
  spendOn(text.length);
  const byUnits = (mark: string): string =>
    [...Array(mark.length).keys()]
      .map((i) => `\\u${mark.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join('');
  const pattern = ascii ? /["\\]|[^ -~]/gu : /["\\\p{Cc}]/gu;
  return `"${text.replace(pattern, (mark) => SHORT[mark] ?? (ascii || mark < ' ' ? byUnits(mark) : mark))}"`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return floatText(value);
}

function keyText(key: Value): string {
  if (key === null) return 'null';
  if (typeof key === 'boolean') return key ? 'true' : 'false';
  if (typeof key === 'number') return numberText(key);
  const text = typeof key === 'bigint' ? intText(key) : textOf(key);
  if (text !== null) return text;
  throw new TemplateError(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

function sortedEntries(dict: Dict, { sorted }: Style): (readonly [Value, Value])[] {
  const entries = dict.entries();
  return sorted ? entries.sort(([a], [b]) => compare(a, b)) : entries;
}

function write(value: Value, style: Style, margin: string, pieces: string[]): void {
  const add = (piece: string): void => {
    spend();
    spendOn(piece.length);
    pieces.push(piece);
  };
  const inner = style.indent === null ? '' : margin + style.indent;
  const all = <Item>(
    items: readonly Item[],
    open: string,
    close: string,
    each: (item: Item) => void,
  ): void => {
    if (items.length === 0) return add(open + close);
    add(open);
    items.forEach((item, i) => {
      if (i > 0) add(style.between);
      if (style.indent !== null) add(`\n${inner}`);
      each(item);
    });
    add(style.indent === null ? close : `\n${margin}${close}`);
  };
  const text = textOf(value);
  if (text !== null) add(jsonString(text, style));
  else if (value === null) add('null');
  else if (typeof value === 'boolean') add(value ? 'true' : 'false');
  else if (typeof value === 'bigint') add(intText(value));
  else if (typeof value === 'number') add(numberText(value));
  else if (value instanceof Dict)
    all(sortedEntries(value, style), '{', '}', ([key, of]) => {
      add(jsonString(keyText(key), style) + style.afterKey);
      write(of, style, inner, pieces);
    });
  else if (value instanceof Tuple || isList(value))
    all(value instanceof Tuple ? value.items : value, '[', ']', (item) => write(item, style, inner, pieces));
  else throw new TemplateError(`Object of type ${typeName(value)} is not JSON serializable`);
}

/** Spaces by their number. @throws TemplateLimitError for more than any text needs. */
export function spaces(width: bigint): string {
  if (width > WIDEST_INDENT)
    throw new TemplateLimitError(`indents lines by ${grouped(Number(width))} spaces`);
  return ' '.repeat(Math.max(0, Number(width)));
}

function indentOf(indent: Value): string | null {
  if (indent === null) return null;
  const text = textOf(indent);
  if (text !== null) return text;
  if (typeof indent === 'boolean' || typeof indent === 'bigint') return spaces(BigInt(indent));
  throw new TemplateError(`can't multiply sequence by non-int of type '${typeName(indent)}'`);
}

export function toJson(value: Value, given: Given): string {
  const names = ['ensure_ascii', 'indent', 'separators', 'sort_keys'];
  const [ascii = false, indent = null, separators = null, sorted = false] = bound('tojson', given, names);
  const own = separators instanceof Tuple ? separators.items : isList(separators) ? separators : null;
  if (separators !== null && own?.length !== 2) throw new TemplateError('tojson needs two separators');
  const margin = indentOf(indent);
  const pieces: string[] = [];
  const style: Style = {
    ascii: isTrue(ascii),
    indent: margin,
    between: own === null ? (margin === null ? ', ' : ',') : str(own[0] ?? null),
    afterKey: own === null ? ': ' : str(own[1] ?? null),
    sorted: isTrue(sorted),
  };
  write(value, style, '', pieces);
  const text = pieces.join('');
  spendOn(text.length);
  return text;
}
