/** The variables of a running scope, and those that the template was given. */
import { TemplateError, Undefined, type Value } from './values.ts';
import type { Symbols } from './scopes.ts';

/** The variables that a template was given, and those that its outermost scope has set since. */
export class Context {
  readonly #given: ReadonlyMap<string, Value>;
  readonly #set = new Map<string, Value>();

  constructor(given: ReadonlyMap<string, Value>) {
    this.#given = given;
  }

  resolve(name: string): Value | undefined {
    return this.#set.has(name) ? this.#set.get(name) : this.#given.get(name);
  }

  set(name: string, value: Value): void {
    this.#set.set(name, value);
  }
}

export class Frame {
  readonly symbols: Symbols;
  readonly #parent: Frame | null;
  /** Each variable of the scope; undefined for one without a value. */
  readonly #values = new Map<string, Value | undefined>();
  /** The context that takes what this frame sets; null within loops, macros and blocks. */
  readonly #exports: Context | null;

  constructor(symbols: Symbols, parent: Frame | null, context: Context, exports = false) {
    this.symbols = symbols;
    this.#parent = parent;
    this.#exports = exports ? context : null;
    for (const [name, load] of symbols.loads) {
      const outer = load === 'outer' ? parent?.find(name) : undefined;
      this.#values.set(name, load === 'resolve' ? context.resolve(name) : outer);
    }
  }

  /** The value of a variable; undefined for one without. */
  find(name: string): Value | undefined {
    if (this.#values.has(name)) return this.#values.get(name);
    if (this.#parent !== null) return this.#parent.find(name);
    throw new TemplateError(
      `Tried to resolve a name to a reference that was unknown to the frame ('${name}')`,
    );
  }

  read(name: string): Value {
    const value = this.find(name);
    return value === undefined ? new Undefined(`'${name}' is undefined`) : value;
  }

  /** Gives the scope a variable of its own that it does not hand on. */
  declare(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  set(name: string, value: Value): void {
    this.declare(name, value);
    this.#exports?.set(name, value);
  }
}
