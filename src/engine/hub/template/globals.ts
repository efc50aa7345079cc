/** The functions that every template can name: those of Jinja2, and those that transformers adds. */
import { formatMoment } from '@rl-playground/base/clock';
import { bound, positional, textArgument } from './given.ts';
import { wholeNumber } from './operators.ts';
import { repr, str } from './printing.ts';
import { Fn, Namespace } from './objects.ts';
import {
  Dict,
  each,
  listOf,
  PyObject,
  Range,
  TemplateError,
  Undefined,
  type Given,
  type Value,
} from './values.ts';

/** The most items of a range in Jinja2's sandbox. */
const MOST_IN_RANGE = 100_000;

function range(given: Given): Value {
  const [first = null, second, third] = positional('range', given, 3, 1);
  const by = third === undefined ? 1n : wholeNumber(third);
  const made =
    second === undefined
      ? new Range(0n, wholeNumber(first), by)
      : new Range(wholeNumber(first), wholeNumber(second), by);
  if (made.length > MOST_IN_RANGE)
    throw new TemplateError(
      `Range too big. The sandbox blocks ranges larger than MAX_RANGE (${MOST_IN_RANGE}).`,
    );
  return made;
}

/** Python's `dict(mapping, **named)`. */
function dictOf(given: Given): Dict {
  const [from = null] = positional('dict', { args: given.args, named: new Map() }, 1);
  if (from instanceof Undefined && given.args.length > 0) return new Dict(given.named);
  const pairs =
    given.args.length === 0 ? [] : from instanceof Dict ? from.entries() : [...each(from)].map(listOf);
  const made = new Dict();
  for (const pair of [...pairs, ...given.named]) {
    const [key, value] = pair;
    if (pair.length !== 2 || key === undefined || value === undefined)
      throw new TemplateError('dictionary update sequence element has the wrong length; 2 is required');
    made.set(key, value);
  }
  return made;
}

function namespace(given: Given): Namespace {
  const entries = dictOf(given).entries();
  return new Namespace(new Map(entries.map(([name, value]) => [str(name), value])));
}

class Cycler extends PyObject {
  override readonly type = 'Cycler';
  readonly #items: readonly Value[];
  #at = 0;

  constructor(items: readonly Value[]) {
    super();
    if (items.length === 0) throw new TemplateError('at least one item has to be provided');
    this.#items = items;
  }

  get #current(): Value {
    return this.#items[this.#at] ?? null;
  }

  override attribute(name: string): Value | undefined {
    if (name === 'current') return this.#current;
    if (name === 'reset')
      return new Fn(() => {
        this.#at = 0;
        return null;
      });
    if (name !== 'next') return undefined;
    return new Fn(() => {
      const value = this.#current;
      this.#at = (this.#at + 1) % this.#items.length;
      return value;
    });
  }
}

class Joiner extends PyObject {
  override readonly type = 'Joiner';
  readonly #between: Value;
  #used = false;

  constructor(between: Value) {
    super();
    this.#between = between;
  }

  override call(given: Given): Value {
    positional('joiner', given, 0);
    if (this.#used) return this.#between;
    this.#used = true;
    return '';
  }

  override get callable(): boolean {
    return true;
  }
}

/** Codes of `strftime` that stand for several others. */
const SEVERAL: Readonly<Record<string, string>> = {
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  h: '%b',
  c: '%a %b %e %H:%M:%S %Y',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
  n: '\n',
  t: '\t',
  f: '000000',
  z: '',
  Z: '',
};

function timeText(moment: number, given: Given): string {
  const format = textArgument('strftime_now', positional('strftime_now', given, 1, 1)[0]);
  const plain = format.replace(/%(-?)([\s\S]?)/gu, (whole, bare: string, code: string) => {
    const several = SEVERAL[code];
    if (several !== undefined && bare === '') return several;
    if ('YymdejBbAaHIpMS%'.includes(code) && code !== '') return whole;
    throw new TemplateError(`strftime_now does not know the code ${repr(whole)}`);
  });
  return formatMoment(moment, plain);
}

/** The globals of a template that takes `moment` for now. */
export function globalsAt(moment: number): ReadonlyMap<string, Value> {
  const fn = (run: (given: Given) => Value, type?: string): Fn => new Fn(run, type);
  return new Map<string, Value>([
    ['range', fn(range, 'function')],
    ['dict', fn(dictOf, 'type')],
    ['namespace', fn(namespace, 'type')],
    ['cycler', fn(({ args }) => new Cycler(args), 'type')],
    [
      'joiner',
      fn((given) => {
        const [between = ', '] = bound('joiner', given, ['sep']);
        return new Joiner(between);
      }, 'type'),
    ],
    [
      'lipsum',
      fn(() => {
        throw new TemplateError('lipsum is not done here: its text would be another each time');
      }, 'function'),
    ],
    [
      'raise_exception',
      fn((given) => {
        const [message = null] = bound('raise_exception', given, ['message'], 1);
        throw new TemplateError(str(message));
      }, 'function'),
    ],
    ['strftime_now', fn((given) => timeText(moment, given), 'function')],
  ]);
}
