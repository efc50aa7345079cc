/** Macros: functions that a template defines, and whose call gives a text. */
import { Frame, type Context } from './frames.ts';
import { evaluated } from './expressions.ts';
import type { MacroNode, Statement } from './nodes.ts';
import { macroScope, specialParameters, type SpecialParameter, type Symbols } from './scopes.ts';
import { Dict, PyObject, TemplateError, Tuple, Undefined, type Given, type Value } from './values.ts';
import { deeper } from './work.ts';

/** The text of statements in a frame. */
export type BodyText = (body: readonly Statement[], frame: Frame) => string;

/** A macro as it is read, before it has a scope around it. */
export interface MacroShape {
  readonly special: ReadonlySet<SpecialParameter>;
  readonly symbols: Symbols;
}

export function shapeOf(node: MacroNode, parent: Symbols): MacroShape {
  const own = node.parameters.map(({ name }) => name);
  const read = specialParameters(node);
  const caller = own.indexOf('caller');
  if (read.has('caller') && caller >= 0 && caller < own.length - node.defaults.length)
    throw new TemplateError(
      'When defining macros or call blocks the special "caller" argument must be omitted or be given a default.',
    );
  const special = new Set([...read].filter((name) => !own.includes(name)));
  return { special, symbols: macroScope(parent, node, special) };
}

export class Macro extends PyObject {
  override readonly type = 'Macro';
  readonly #node: MacroNode;
  readonly #shape: MacroShape;
  readonly #around: Frame;
  readonly #context: Context;
  readonly #textOf: BodyText;

  constructor(node: MacroNode, shape: MacroShape, around: Frame, context: Context, textOf: BodyText) {
    super();
    this.#node = node;
    this.#shape = shape;
    this.#around = around;
    this.#context = context;
    this.#textOf = textOf;
  }

  override text(): string {
    return this.#node.type === 'macro' ? `<Macro '${this.#node.name}'>` : '<Macro anonymous>';
  }

  override attribute(name: string): Value | undefined {
    const { parameters } = this.#node;
    if (name === 'name') return this.#node.type === 'macro' ? this.#node.name : null;
    if (name === 'arguments') return new Tuple(parameters.map((each) => each.name));
    if (name === 'catch_kwargs') return this.#shape.special.has('kwargs');
    if (name === 'catch_varargs') return this.#shape.special.has('varargs');
    if (name === 'caller' || name === 'explicit_caller')
      throw new TemplateError(`the attribute ${name} of a macro is not known here`);
    return undefined;
  }

  override get callable(): boolean {
    return true;
  }

  override call({ args, named }: Given): string {
    const { parameters, name } = this.#node;
    const { special, symbols } = this.#shape;
    const rest = new Map(named);
    const take = (key: string): Value | undefined => {
      const value = rest.get(key);
      rest.delete(key);
      return value;
    };
    const frame = new Frame(symbols, this.#around, this.#context);
    const given = parameters.map((each, i) => (i < args.length ? args[i] : take(each.name)));
    if (special.has('caller')) {
      const caller = take('caller') ?? null;
      frame.set('caller', caller === null ? new Undefined('No caller defined') : caller);
    }
    if (special.has('kwargs')) frame.set('kwargs', new Dict(rest));
    else if (rest.size > 0) this.#refuse([...rest.keys()]);
    if (special.has('varargs')) frame.set('varargs', new Tuple(args.slice(parameters.length)));
    else if (args.length > parameters.length)
      throw new TemplateError(`macro '${name}' takes not more than ${parameters.length} argument(s)`);
    this.#bind(given, frame);
    return deeper(() => this.#textOf(this.#node.body, frame));
  }

  #refuse(names: readonly string[]): never {
    const { name } = this.#node;
    throw new TemplateError(
      names.includes('caller')
        ? `macro '${name}' was invoked with two values for the special caller argument. This is most likely a bug.`
        : `macro '${name}' takes no keyword argument '${names[0] ?? ''}'`,
    );
  }

  /** Gives the parameters their values in order; a default may name the parameters before it. */
  #bind(given: readonly (Value | undefined)[], frame: Frame): void {
    const { parameters, defaults } = this.#node;
    parameters.forEach(({ name }, i) => {
      const value = given[i];
      if (value !== undefined) frame.set(name, value);
    });
    parameters.forEach(({ name }, i) => {
      if (given[i] !== undefined) return;
      const usual = defaults[i - parameters.length + defaults.length];
      frame.set(
        name,
        usual === undefined ? new Undefined(`parameter '${name}' was not provided`) : evaluated(usual, frame),
      );
    });
  }
}
