/** `npm run lab -- NAME [arguments…]`: measurements and investigations of this project. Nothing of it is needed to use the project, and no test asks for its figures. */
import { printLine, printProblem } from '../cli/print.ts';
import type { Program } from '../cli/program.ts';

interface LabProgram {
  readonly purpose: string;
  readonly load: () => Promise<{ readonly default: Program }>;
}

export const PROGRAMS: Readonly<Record<string, LabProgram>> = {
  charts: {
    purpose: 'measures what a redraw of the charts costs the page’s thread in a long run',
    load: () => import('./charts.ts'),
  },
  flaky: {
    purpose: 'runs test files many times beside busy loops, and prints how often they failed',
    load: () => import('./flaky.ts'),
  },
  floods: {
    purpose: 'counts the steps of a run while a stranger sends words of machines that do not exist',
    load: () => import('./floods.ts'),
  },
};

const list = (): string =>
  `Usage: npm run lab -- NAME [arguments…]; npm run lab -- NAME --help says more.\n\n${Object.entries(
    PROGRAMS,
  )
    .map(([name, { purpose }]) => `  ${name.padEnd(8)}  ${purpose}`)
    .join('\n')}`;

const lab: Program = async ([name, ...words]) => {
  if (name === undefined || name === '--help' || name === '-h') {
    printLine(list());
    return 0;
  }
  const found = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (found !== undefined) return (await found.load()).default(words);
  printProblem(`The lab has no program ${name}. It has ${Object.keys(PROGRAMS).join(', ')}.`);
  return 2;
};

export default lab;
