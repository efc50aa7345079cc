/** Python's `format(value, spec)` and `text.format(…)`. */
import { formattedFloat } from './numberFormat.ts';
import { floatText, intText, repr, str } from './printing.ts';
import { lengthOfText, pointsOf, TemplateError, textOf, typeName, type Given, type Value } from './values.ts';
import { spend, spendOn } from './work.ts';

const SPEC = /^(?:([\s\S])?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([bcdeEfFgGnosxX%])?$/u;

interface Spec {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  readonly hash: boolean;
  readonly width: number;
  readonly group: string;
  readonly precision: number | null;
  readonly kind: string;
}

function specOf(text: string, value: Value): Spec {
  const match = SPEC.exec(text);
  if (match === null || match[4] !== undefined)
    throw new TemplateError(`Invalid format specifier '${text}' for object of type '${typeName(value)}'`);
  const [hashed, mark, code = ''] = [match[5] !== undefined, match[8], match[10]];
  if (mark === ',' && /[boxX]/.test(code)) throw new TemplateError(`Cannot specify ',' with '${code}'.`);
  if (/[cn]/.test(code) || (hashed && !/[boxX]/.test(code)))
    throw new TemplateError(`the format "${text}" is not written here`);
  const [, fill, align, sign = '', , hash, zero, width, group = '', precision, kind = ''] = match;
  return {
    fill: fill ?? (zero === undefined ? ' ' : '0'),
    align: align ?? (zero !== undefined && typeof value !== 'string' ? '=' : ''),
    sign,
    hash: hash !== undefined,
    width: Number(width ?? 0),
    group,
    precision: precision === undefined ? null : Number(precision),
    kind,
  };
}

/** Puts a mark between groups of digits, counted from the right. */
function grouped(digits: string, mark: string, size: number): string {
  const pattern = size === 3 ? /\B(?=(?:.{3})+$)/g : /\B(?=(?:.{4})+$)/g;
  return mark === '' ? digits : digits.replace(pattern, mark);
}

function aligned(before: string, body: string, { fill, align, width }: Spec, usual: string): string {
  const missing = width - lengthOfText(before + body);
  if (missing <= 0) return before + body;
  spendOn(width);
  const to = align === '' ? usual : align;
  if (to === '=') return before + fill.repeat(missing) + body;
  if (to === '<') return before + body + fill.repeat(missing);
  if (to === '>') return fill.repeat(missing) + before + body;
  const left = Math.floor(missing / 2);
  return fill.repeat(left) + before + body + fill.repeat(missing - left);
}

/** Zeros that fill a number with groups are grouped too, which is not done here. */
function refuseGroupedZeros({ group, fill, align, width }: Spec, length: number): void {
  if (group !== '' && fill === '0' && align === '=' && width > length)
    throw new TemplateError('zeros before a number with grouped digits are not written here');
}

const RADIX: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16 };

function formattedInt(value: bigint, spec: Spec): string {
  const { kind, precision, group, hash } = spec;
  if (precision !== null) throw new TemplateError('Precision not allowed in integer format specifier');
  const size = value < 0n ? -value : value;
  const radix = RADIX[kind];
  const plain = radix === undefined ? intText(size) : size.toString(radix);
  const digits = grouped(kind === 'X' ? plain.toUpperCase() : plain, group, radix === undefined ? 3 : 4);
  const prefix = hash && radix !== undefined ? `0${kind}` : '';
  const sign = value < 0n ? '-' : spec.sign === '-' ? '' : spec.sign;
  refuseGroupedZeros(spec, sign.length + prefix.length + digits.length);
  return aligned(sign + prefix, digits, spec, '>');
}

function floatDigits(size: number, { kind, precision }: Spec): string {
  if (kind === '%') return `${formattedFloat(size * 100, 'f', precision ?? 6)}%`;
  if (kind !== '') return formattedFloat(size, kind, precision ?? 6);
  if (precision === null) return floatText(size);
  const text = formattedFloat(size, 'g', precision);
  // Without a kind a float keeps one digit behind the point, and turns to exponents one digit sooner.
  const exponent = Number(size.toExponential(Math.max(precision, 1) - 1).split('e')[1]);
  if (/[.en]/.test(text)) return text;
  if (exponent < Math.max(precision, 1) - 1) return `${text}.0`;
  const scientific = formattedFloat(size, 'e', Math.max(precision, 1) - 1);
  return !scientific.includes('.') ? scientific : scientific.replace(/\.?0+e/, 'e');
}

function formattedNumber(value: number, spec: Spec): string {
  const digits = floatDigits(Math.abs(value), spec);
  const [whole = '', ...rest] = digits.split(/(?=[.e%])/);
  const body = grouped(whole, spec.group, 3) + rest.join('');
  const negative = value < 0 || Object.is(value, -0);
  const sign = negative ? '-' : spec.sign === '-' ? '' : spec.sign;
  refuseGroupedZeros(spec, sign.length + body.length);
  return aligned(sign, body, spec, '>');
}

/** Python's `format(value, spec)`. */
export function formatted(value: Value, spec: string): string {
  spend();
  if (spec === '') return str(value);
  const read = specOf(spec, value);
  const { kind, precision } = read;
  const text = textOf(value);
  const wrong = (): never => {
    throw new TemplateError(`Unknown format code '${kind}' for object of type '${typeName(value)}'`);
  };
  if (text !== null) {
    if (kind !== '' && kind !== 's') return wrong();
    if (read.sign !== '' || read.hash || read.group !== '' || read.align === '=')
      throw new TemplateError('Sign, grouping and "=" not allowed in string format specifier');
    return aligned('', precision === null ? text : pointsOf(text).slice(0, precision).join(''), read, '<');
  }
  const whole = typeof value === 'boolean' ? (value ? 1n : 0n) : value;
  if (typeof whole === 'bigint') {
    if (kind === 's') return wrong();
    return kind !== '' && 'eEfFgG%'.includes(kind)
      ? formattedNumber(Number(whole), read)
      : formattedInt(whole, read);
  }
  if (typeof value === 'number')
    return kind !== '' && 'bdosxX'.includes(kind) ? wrong() : formattedNumber(value, read);
  throw new TemplateError(`unsupported format string passed to ${typeName(value)}.__format__`);
}

/** The functions that read `a.b` and `a[0]` in a format. */
export interface Lookup {
  readonly attributeOf: (value: Value, name: string) => Value;
  readonly itemOf: (value: Value, key: Value) => Value;
}

/** `a.b[0]`: the first name, and then attributes and positions. */
function fieldOf(name: string, first: (key: string) => Value, { attributeOf, itemOf }: Lookup): Value {
  const match = /^([^.[]*)((?:\.[^.[]+|\[[^\]]+\])*)$/u.exec(name);
  if (match === null) throw new TemplateError(`the field "${name}" of a format is not known here`);
  let value = first(match[1] ?? '');
  for (const [, attribute, item = ''] of (match[2] ?? '').matchAll(/\.([^.[]+)|\[([^\]]+)\]/gu)) {
    if (attribute !== undefined) value = attributeOf(value, attribute);
    else value = itemOf(value, /^\d+$/.test(item) ? BigInt(item) : item);
  }
  return value;
}

/** Python's `text.format(*args, **named)`. */
export function formatText(text: string, { args, named }: Given, lookup: Lookup): string {
  spendOn(text.length);
  let automatic = 0;
  let numbered: boolean | null = null;
  const first = (key: string): Value => {
    const at = key === '' ? automatic++ : /^\d+$/.test(key) ? Number(key) : null;
    if (at !== null && numbered === (key === ''))
      throw new TemplateError(
        'cannot switch between automatic field numbering and manual field specification',
      );
    if (at !== null) numbered = key !== '';
    const value = at === null ? named.get(key) : args[at];
    if (value !== undefined) return value;
    throw new TemplateError(
      at === null ? repr(key) : `Replacement index ${at} out of range for positional args tuple`,
    );
  };
  const filled = (part: string): string =>
    part.replace(/\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]/gu, (...match) => {
      spend();
      const [whole, name, conversion, spec = ''] = match as (string | undefined)[];
      if (whole === '{{' || whole === '}}') return whole.slice(1);
      if (name === undefined) throw new TemplateError(`Single '${whole ?? ''}' encountered in format string`);
      const value = fieldOf(name, first, lookup);
      const inner = spec.includes('{') ? filled(spec) : spec;
      if (conversion === 'a') throw new TemplateError('!a in a format is not known here');
      if (conversion !== undefined) return formatted(conversion === 'r' ? repr(value) : str(value), inner);
      return formatted(value, inner);
    });
  const result = filled(text);
  spendOn(result.length);
  return result;
}
