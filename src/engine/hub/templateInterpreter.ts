/**
 * The interpreter of chat templates, with bounds. A template comes with a model from anywhere and is a program: it can loop for ever,
 * double a text thirty times or ask for a list of a billion numbers, and it may do so for one conversation and not for those that it was
 * tried with. So every value that it makes is counted, and each time the clock is checked.
 */
import { Environment, Interpreter } from '@huggingface/jinja';
import { grouped } from '@rl-playground/base/text';
import { ModelFileError } from './types.ts';

/** A template that does more than any conversation needs. The message is written for the user. */
export class TemplateLimitError extends ModelFileError {
  override readonly name: string = 'TemplateLimitError';

  constructor(what: string) {
    super(
      `The model's chat template ${what}. No conversation needs that; use the template of the original model, or take chat_template out of tokenizer_config.json and choose the renderer "role_colon".`,
    );
  }
}

/** The most milliseconds of one rendering. */
const MOST_MILLISECONDS = 2000;
/** The most milliseconds that count between two values: a machine that was busy or asleep meanwhile has done nothing for the template. */
const MOST_BETWEEN = 250;
/** The most values that one rendering may make: a prompt takes some hundred. */
const MOST_VALUES = 100_000;
/** The most characters of a text, and the most values in a list or mapping with everything inside it. */
const MOST_TEXT = 1_000_000;
/** The most spaces that a filter may put before a line. */
const WIDEST_INDENT = 1000;
const INDENTING: readonly unknown[] = ['indent', 'tojson'];

type Node = Parameters<Interpreter['evaluate']>[0];
type Value = ReturnType<Interpreter['evaluate']>;

/** Counts the time and the values of one rendering. */
class Budget {
  #looked = performance.now();
  #milliseconds = 0;
  #values = 0;

  /** @throws TemplateLimitError if a limit is exceeded. */
  take(values: number): void {
    this.#values += values;
    if (this.#values > MOST_VALUES)
      throw new TemplateLimitError(`makes more than ${grouped(MOST_VALUES)} values for one text`);
    const now = performance.now();
    this.#milliseconds += Math.min(now - this.#looked, MOST_BETWEEN);
    this.#looked = now;
    if (this.#milliseconds > MOST_MILLISECONDS)
      throw new TemplateLimitError(`takes more than ${MOST_MILLISECONDS / 1000} s for one text`);
  }
}

/** Python's `range`. */
function rangeOf(budget: Budget, from: number, to: number | undefined, step: number): number[] {
  const [start, end] = to === undefined ? [0, from] : [from, to];
  if (step === 0) throw new Error('range() step must not be zero');
  const length = Math.max(0, Math.ceil((end - start) / step));
  budget.take(length);
  return Array.from({ length }, (_, i) => start + i * step);
}

function environmentOf(variables: Readonly<Record<string, unknown>>, budget: Budget): Environment {
  const environment = new Environment();
  const globals = {
    false: false,
    true: true,
    none: null,
    False: false,
    True: true,
    None: null,
    range: (from: number, to?: number, step = 1) => rangeOf(budget, from, to, step),
    raise_exception: (message: unknown) => {
      throw new Error(String(message));
    },
  };
  for (const [name, value] of Object.entries({ ...globals, ...variables })) environment.set(name, value);
  return environment;
}

function filterArguments(node: Node): readonly unknown[] {
  if (node === undefined || !('filter' in node)) return [];
  const filter = node.filter as { readonly callee?: { readonly value?: unknown }; readonly args?: unknown };
  return INDENTING.includes(filter.callee?.value) && Array.isArray(filter.args) ? filter.args : [];
}

class BoundedInterpreter extends Interpreter {
  readonly #budget: Budget;
  /** The characters and values in each object that was made. */
  readonly #weights = new WeakMap<object, number>();

  constructor(environment: Environment, budget: Budget) {
    super(environment);
    this.#budget = budget;
  }

  override evaluate(node: Node, environment: Environment): Value {
    this.#budget.take(1);
    for (const argument of filterArguments(node)) this.#refuseIndent(argument, environment);
    const value = super.evaluate(node, environment);
    if (this.#weightOf(value) > MOST_TEXT)
      throw new TemplateLimitError(`makes a text or list of more than ${grouped(MOST_TEXT)} characters`);
    return value;
  }

  #refuseIndent(argument: unknown, environment: Environment): void {
    const node = argument as { readonly type: string; readonly value?: unknown };
    const width = this.evaluate(
      (node.type === 'KeywordArgumentExpression' ? node.value : argument) as Node,
      environment,
    ).value;
    if (typeof width === 'number' && width > WIDEST_INDENT)
      throw new TemplateLimitError(`indents lines by ${grouped(width)} spaces`);
  }

  /** Weighs a value until it is too much. A namespace changes, and may hold itself, so the weight of a value that holds one is not remembered. */
  #weightOf(value: Value): number {
    let weight = 0;
    let lasting = true;
    const rest: Value[] = [value];
    for (let each = rest.pop(); each !== undefined && weight <= MOST_TEXT; each = rest.pop()) {
      const own = typeof each.value === 'string' ? each.value.length : this.#weights.get(each);
      weight += own ?? 1;
      if (own !== undefined) continue;
      lasting &&= each.type !== 'NamespaceValue';
      if (Array.isArray(each.value) || each.value instanceof Map)
        for (const inside of each.value.values()) rest.push(inside);
    }
    if (lasting) this.#weights.set(value, weight);
    return weight;
  }
}

type Program = Parameters<Interpreter['run']>[0];

/** Runs a parsed template with variables. @throws TemplateLimitError, and Error if the template raises one or uses what the language lacks. */
export function rendered(program: Program, variables: Readonly<Record<string, unknown>>): string {
  const budget = new Budget();
  const value = new BoundedInterpreter(environmentOf(variables, budget), budget).run(program);
  if (typeof value.value === 'string') return value.value;
  throw new Error(`a template gives a text, and this one gave ${value.type}`);
}
