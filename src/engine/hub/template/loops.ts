/** The variable `loop` of a loop. */
import { positional } from './given.ts';
import { equal } from './operators.ts';
import { Fn } from './objects.ts';
import { lengthOf, PyObject, TemplateError, Tuple, Undefined, type Given, type Value } from './values.ts';

/** Renders a loop over other values, one level deeper. */
type Again = (over: Value, depth0: number) => string;

export class Loop extends PyObject {
  override readonly type = 'LoopContext';
  readonly #over: Value;
  readonly #values: Iterator<Value>;
  /** Values that were read ahead. */
  #ahead: Value[] = [];
  #length: number | undefined;
  #index0 = -1;
  #current: Value | undefined;
  #before: Value | undefined;
  #lastChanged: Value | undefined;
  readonly #depth0: number;
  readonly #again: Again | null;

  /** `again` is null for a loop that is not recursive. */
  constructor(over: Value, values: Iterator<Value>, depth0: number, again: Again | null) {
    super();
    this.#over = over;
    this.#values = values;
    this.#depth0 = depth0;
    this.#again = again;
  }

  /** Goes on to the next value; undefined, which is no value, at the end. */
  next(): Value | undefined {
    const value = this.#peek();
    if (value === undefined) return undefined;
    this.#ahead.shift();
    this.#index0++;
    this.#before = this.#current;
    this.#current = value;
    return value;
  }

  #peek(): Value | undefined {
    if (this.#ahead.length === 0) {
      const next = this.#values.next();
      if (next.done === true) return undefined;
      this.#ahead.push(next.value);
    }
    return this.#ahead[0];
  }

  override length(): number {
    if (this.#length !== undefined) return this.#length;
    const known = lengthOf(this.#over);
    if (known === undefined)
      for (let next = this.#values.next(); next.done !== true; next = this.#values.next())
        this.#ahead.push(next.value);
    return (this.#length = known ?? this.#ahead.length + this.#index0 + 1);
  }

  override text(): string {
    return `<LoopContext ${this.#index0 + 1}/${this.length()}>`;
  }

  override attribute(name: string): Value | undefined {
    const index0 = this.#index0;
    switch (name) {
      case 'index':
        return BigInt(index0 + 1);
      case 'index0':
        return BigInt(index0);
      case 'revindex':
        return BigInt(this.length() - index0);
      case 'revindex0':
        return BigInt(this.length() - index0 - 1);
      case 'first':
        return index0 === 0;
      case 'last':
        return this.#peek() === undefined;
      case 'length':
        return BigInt(this.length());
      case 'depth':
        return BigInt(this.#depth0 + 1);
      case 'depth0':
        return BigInt(this.#depth0);
      case 'previtem':
        return index0 === 0 || this.#before === undefined
          ? new Undefined('there is no previous item')
          : this.#before;
      case 'nextitem': {
        const next = this.#peek();
        return next === undefined ? new Undefined('there is no next item') : next;
      }
      case 'cycle':
        return new Fn((given) => this.#cycle(given));
      case 'changed':
        return new Fn((given) => this.#changed(given));
      default:
        return undefined;
    }
  }

  #cycle({ args }: Given): Value {
    if (args.length === 0) throw new TemplateError('no items for cycling given');
    return args[this.#index0 % args.length] ?? null;
  }

  #changed({ args }: Given): boolean {
    const found = new Tuple(args);
    if (this.#lastChanged !== undefined && equal(this.#lastChanged, found)) return false;
    this.#lastChanged = found;
    return true;
  }

  override get callable(): boolean {
    return true;
  }

  override call(given: Given): string {
    const [over = null] = positional('loop', given, 1, 1);
    if (this.#again === null)
      throw new TemplateError("The loop must have the 'recursive' marker to be called recursively.");
    return this.#again(over, this.#depth0 + 1);
  }
}
