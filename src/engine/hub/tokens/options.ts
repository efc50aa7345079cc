/** Reads the options of `tokenizer.json`, and refuses by its name each that has a value it can't have or that is not built. */
import { isJsonObject, shownJson } from '@rl-playground/base/json';

const ADVICE = 'Use the tokenizer files of the original model, or save them again without this option.';

/** An option that is not obeyed. The message names it. */
export class OptionError extends Error {}

/** The options of one part of a tokenizer. */
export class Options {
  readonly #values: Readonly<Record<string, unknown>>;
  /** The name of the part, such as `pre_tokenizer.pretokenizers[0]`. */
  readonly path: string;

  constructor(values: unknown, path: string) {
    if (!isJsonObject(values))
      throw new OptionError(`${path} is ${shownJson(values, 60)}; an object with options is needed.`);
    this.#values = values;
    this.path = path;
  }

  get(name: string): unknown {
    return this.#values[name];
  }

  /** @throws OptionError that names the option, its value and `need`. */
  refuse(name: string, need: string): never {
    const value = shownJson(this.#values[name], 80);
    throw new OptionError(`${this.path}.${name} is ${value}; ${need}. ${ADVICE}`);
  }

  #read<T>(name: string, otherwise: T | undefined, need: string, fits: (value: unknown) => value is T): T {
    const value = this.#values[name] ?? otherwise;
    return fits(value) ? value : this.refuse(name, need);
  }

  flag(name: string, otherwise?: boolean): boolean {
    const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
    return this.#read(name, otherwise, 'true or false is needed', isFlag);
  }

  text(name: string, otherwise?: string): string {
    const isText = (value: unknown): value is string => typeof value === 'string';
    return this.#read(name, otherwise, 'a text is needed', isText);
  }

  /** A text, or null if the option is left out. */
  textOrNull(name: string): string | null {
    return this.#values[name] == null ? null : this.text(name);
  }

  count(name: string, otherwise?: number): number {
    const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;
    return this.#read(name, otherwise, 'a whole number from 0 on is needed', isCount);
  }

  character(name: string): string {
    const value = this.text(name);
    return [...value].length === 1 ? value : this.refuse(name, 'a single character is needed');
  }

  one<T extends string>(name: string, known: readonly T[], otherwise?: T): T {
    const isKnown = (value: unknown): value is T => known.some((each) => each === value);
    return this.#read(name, otherwise, `${known.join(', ')} are built`, isKnown);
  }

  list(name: string): readonly unknown[] {
    const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
    return this.#read(name, undefined, 'a list is needed', isList);
  }

  /** The parts in a list, each with its own path. */
  parts(name: string): readonly Options[] {
    return this.list(name).map((values, i) => new Options(values, `${this.path}.${name}[${i}]`));
  }
}

/** The most that a text may grow in a sequence of steps: each could double what the one before has made. */
const MOST_GROWTH = 100;
const SHORT = 10_000;

/** Takes steps one after the other. @throws Error if the text, whose length `lengthOf` gives, grows without measure. */
export function inOrder<T>(steps: readonly ((now: T) => T)[], lengthOf: (of: T) => number): (of: T) => T {
  return (first) => {
    const most = MOST_GROWTH * lengthOf(first) + SHORT;
    return steps.reduce((now, step) => {
      const next = step(now);
      if (lengthOf(next) > most) throw new Error(`a sequence of steps makes more than ${most} characters`);
      return next;
    }, first);
  };
}

/** Builds a part by the builder of its type. @throws OptionError that names a type without a builder. */
export function builtBy<T>(builders: Readonly<Record<string, (options: Options) => T>>, options: Options): T {
  const build = Object.hasOwn(builders, String(options.get('type')))
    ? builders[String(options.get('type'))]
    : undefined;
  return build?.(options) ?? options.refuse('type', `${Object.keys(builders).join(', ')} are built`);
}
