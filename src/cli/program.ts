/**
 * The common handling of command lines. `--help` says what a program does, its options with their defaults, and an example; an error in
 * the words is one line on stderr and exit code 2. A program that fails prints the reason in its message alone and ends with 1; with
 * DEBUG in the environment the stack follows.
 */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { BadInput, messageOf } from '@rl-playground/base/errors';
import { ModelFileError } from '@rl-playground/engine/parts';
import { findTask, taskNameError } from '@rl-playground/tasks/parts';
import { printLine, printProblem } from '@rl-playground/base/print';

/** A text to print and an exit code, instead of running. */
export interface Refusal {
  readonly text: string;
  readonly exitCode: number;
}

/** A program takes the words of its command line, prints, and resolves to its exit code. */
export interface Program {
  (words: readonly string[]): Promise<number>;
  /** Prints errors that nobody has caught, which may hold a stranger's text too (`run.mjs`). */
  readonly printProblem?: (text: string) => void;
}

/** A command line to add options to. `script` is the way it is typed, `npm run lab -- fuzz`; `example` has words that follow. */
export function command(script: string, description: string, example: string): Command {
  return new Command(script)
    .description(description)
    .addHelpText('after', `\nExample:\n  ${`${script} ${example}`.trim()}`)
    .exitOverride();
}

/** The options that the words give, and the words that are none; or the help or the complaint in their place. */
export function parsedWords<Options extends object>(
  line: Command,
  words: readonly string[],
): { readonly options: Options; readonly args: readonly string[] } | Refusal {
  let text = '';
  const write = (part: string) => void (text += part);
  line.configureOutput({ writeOut: write, writeErr: write });
  try {
    line.parse(words, { from: 'user' });
    return { options: line.opts<Options>(), args: line.args };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0
      ? { text: text.trimEnd(), exitCode: 0 }
      : { text: text.trimEnd().replaceAll('\n', ' '), exitCode: 2 };
  }
}

/**
 * Makes a program of a function that reads its words and one that does the work; a result of nothing is exit code 0. A model that can't
 * be used is bad input.
 */
export function program<Asked extends object>(
  read: (words: readonly string[]) => Asked | Refusal,
  run: (asked: Asked) => Promise<number | void> | number | void,
): Program {
  const start = async (words: readonly string[]): Promise<number> => {
    try {
      const asked = read(words);
      if (!('exitCode' in asked)) return (await run(asked)) ?? 0;
      const { text, exitCode } = asked as Refusal;
      (exitCode === 0 ? printLine : printProblem)(text);
      return exitCode;
    } catch (error) {
      const stack = process.env['DEBUG'] !== undefined && error instanceof Error ? error.stack : undefined;
      printProblem(stack ?? messageOf(error));
      return error instanceof BadInput || error instanceof ModelFileError ? 2 : 1;
    }
  };
  return Object.assign(start, { printProblem });
}

/** Makes a program whose options need no further reading. `line` makes a new command line each time. */
export function simpleProgram<Options extends object>(
  line: () => Command,
  run: (options: Options, args: readonly string[]) => Promise<number | void> | number | void,
): Program {
  return program(
    (words) => parsedWords<Options>(line(), words),
    ({ options, args }) => run(options, args),
  );
}

/** Reads an option by a function whose errors are what is wrong with it. */
export function readBy<Value>(read: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  };
}

/** Reads a whole number of an option. @throws InvalidArgumentError */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const bounds = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number ${bounds}.`);
  };
}

/** The largest seed of a run. */
export const LAST_SEED = 0xffffffff;

function seedsOf(part: string): number[] {
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (from === undefined || last < first || last > LAST_SEED)
    throw new InvalidArgumentError('It must be whole numbers or ranges such as 0-4, parted by commas.');
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Reads the seeds of an option: `3`, `0-4`, or several of them as `0-4,17`. @throws InvalidArgumentError */
export function seedRange(text: string): number[] {
  return [...new Set(text.split(',').flatMap(seedsOf))];
}

/** Reads names of tasks, separated by commas. @throws InvalidArgumentError */
export function taskList(text: string): string[] {
  return text.split(',').map((name) => {
    const task = findTask(name);
    if (task === null) throw new InvalidArgumentError(taskNameError(name) ?? `There is no task ${name}.`);
    return task.name;
  });
}
