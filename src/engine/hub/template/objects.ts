/** Objects of Python: functions, iterators, the views of dicts, and Jinja2's namespaces. */
import { Dict, PyObject, TemplateError, Tuple, type Given, type Value } from './values.ts';
import { spendOn } from './work.ts';

export class Fn extends PyObject {
  override readonly type: string;
  readonly #run: (given: Given) => Value;

  constructor(run: (given: Given) => Value, type = 'builtin_function_or_method') {
    super();
    this.#run = run;
    this.type = type;
  }

  override attribute(name: string): Value | undefined {
    throw new TemplateError(`the attribute ${name} of a ${this.type} can't be read here`);
  }

  override call(given: Given): Value {
    return this.#run(given);
  }

  override get callable(): boolean {
    return true;
  }
}

/** A Python generator or iterator: it is read once. */
export class Lazy extends PyObject {
  override readonly type: string;
  readonly #values: Iterator<Value>;

  constructor(values: Iterator<Value>, type = 'generator') {
    super();
    this.#values = values;
    this.type = type;
  }

  override iterate(): Iterator<Value> {
    return this.#values;
  }

  override text(): string {
    throw new TemplateError(
      `a ${this.type} would be printed with its address in memory; put the filter "list" behind it`,
    );
  }
}

/** The keys, values or items of a dict. */
export class View extends PyObject {
  override readonly type: string;
  readonly dict: Dict;
  readonly kind: 'keys' | 'values' | 'items';

  constructor(dict: Dict, kind: View['kind']) {
    super();
    this.dict = dict;
    this.kind = kind;
    this.type = `dict_${kind}`;
  }

  get items(): Value[] {
    const entries = this.dict.entries();
    spendOn(entries.length);
    if (this.kind === 'items') return entries.map((pair) => new Tuple(pair));
    return entries.map(([key, value]) => (this.kind === 'keys' ? key : value));
  }

  override length(): number {
    return this.dict.size;
  }

  override iterate(): Iterator<Value> {
    return this.items.values();
  }
}

export class Namespace extends PyObject {
  override readonly type = 'Namespace';
  readonly #attributes: Map<string, Value>;

  constructor(attributes: Map<string, Value>) {
    super();
    this.#attributes = attributes;
  }

  override attribute(name: string): Value | undefined {
    return this.#attributes.get(name);
  }

  assign(name: string, value: Value): void {
    this.#attributes.set(name, value);
  }

  /** Its attributes as a dict, for printing. */
  asDict(): Dict {
    return new Dict(this.#attributes);
  }
}
