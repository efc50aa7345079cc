/** A program that consists of many: the first word names one of them. */
import { printLine, printProblem } from '@rl-playground/base/print';
import type { Program } from './program.ts';

export interface NamedProgram {
  /** The purpose, which follows its name in the list. */
  readonly purpose: string;
  readonly load: () => Promise<{ readonly default: Program }>;
}

export type NamedPrograms = Readonly<Record<string, NamedProgram>>;

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h';

export interface ManyOptions {
  /** Programs that are not listed: the listed ones start them. */
  readonly parts?: NamedPrograms;
  /** The program that runs if no word names one, in place of the list. */
  readonly withoutName?: Program;
}

/** `typed` is the way it is called, `npm run lab --`. */
export function manyPrograms(
  typed: string,
  programs: NamedPrograms,
  { parts = {}, withoutName }: ManyOptions = {},
): Program {
  const all = { ...parts, ...programs };
  const list = (): string => {
    const widest = Math.max(...Object.keys(programs).map((name) => name.length));
    const lines = Object.entries(programs).map(
      ([name, { purpose }]) => `  ${name.padEnd(widest)}  ${purpose}`,
    );
    return `Usage: ${typed} NAME [arguments…]; ${typed} NAME --help says more.\n\n${lines.join('\n')}`;
  };
  const run: Program = async (words) => {
    const [name, ...rest] = words;
    if (isHelp(name) || (name === undefined && withoutName === undefined)) {
      printLine(list());
      return 0;
    }
    const found = name !== undefined && Object.hasOwn(all, name) ? all[name] : undefined;
    if (found !== undefined) return (await found.load()).default(rest);
    if (withoutName !== undefined && name === undefined) return withoutName(words);
    printProblem(`There is no program ${name}; there are ${Object.keys(programs).join(', ')}.`);
    return 2;
  };
  return Object.assign(run, { printProblem });
}
