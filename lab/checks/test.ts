/**
 * `npm test [-- PHASE…]`: all checks and tests, or the phases named; after a single one come arguments of its tool. Failed files run once
 * more, alone, unless `--no-second-chance` is given. It prints how long each phase took. The last line is always "N passed, N failed"; a
 * failed check counts as one failure.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from '../../src/cli/build.ts';
import { findNatsServer } from '../../src/cli/natsServer.ts';
import { printColoured, printLine, printProblem } from '@rl-playground/base/print';
import { MOST_FLAKY, secondChance, type FlakyTest } from './secondChance.ts';
import { checkRepository, lint, types, type Check } from './testChecks.ts';
import { titleOf, type TestReport } from './testReports.ts';
import { REPORTS, runSuite, SUITES, type Print, type TestSuite } from './testSuites.ts';

/** The most lines of a failure's message in the summary. */
const MOST_LINES = 14;

type Phase =
  | { readonly purpose: string; readonly check: Check }
  | { readonly purpose: string; readonly suite: TestSuite };

const PHASES: Readonly<Record<string, Phase>> = {
  build: {
    purpose: 'the page, and the SIMD kernels that tests in Node and in a browser share with it',
    check: async (_args, print) => {
      await ensureBuilt(print);
      return 0;
    },
  },
  repository: {
    purpose: 'what no linter knows: the lockfile, comments that silence checks, files that pages name',
    check: checkRepository,
  },
  lint: { purpose: 'oxlint and the formatting', check: lint },
  types: { purpose: 'TypeScript', check: types },
  unit: { purpose: 'tests in Node', suite: SUITES.unit },
  lab: { purpose: 'tests of the lab and of the examples, in Node', suite: SUITES.lab },
  packages: {
    purpose: 'the packages as npm installs them: under Node, in pages, and the command line',
    suite: SUITES.packages,
  },
  kernels: {
    purpose: 'kernels and what stands on them in a browser, on the GPU or on its software adapter',
    suite: SUITES.kernels,
  },
  pages: { purpose: 'the built page as a person uses it, two tests at a time', suite: SUITES.pages },
  runs: {
    purpose: 'whole runs of the built page on each device, one test at a time',
    suite: SUITES.runs,
  },
  protocols: {
    purpose: 'machines that join and leave, servers and programs that are killed: one file at a time',
    suite: SUITES.protocols,
  },
  'protocols-pages': {
    purpose: 'the same with pages, one test at a time',
    suite: SUITES['protocols-pages'],
  },
};

/** The phases of `e2e`, which means all tests on the built page. */
const E2E: readonly string[] = ['pages', 'runs', 'protocols-pages'];

/**
 * A stage after the other; the lanes of a stage side by side, each a phase after the other. Together they keep two cores busy from end to end: `pages`,
 * which has two workers, ends last. A lane whose next tests need what is built waits for it. What waits for other programs leaves a core
 * free, for phases of one program that have no clock.
 */
const STAGES: readonly (readonly (readonly string[])[])[] = [
  [
    ['build', 'kernels', 'pages'],
    ['repository', 'lint', 'unit', 'runs'],
  ],
  [
    ['protocols', 'protocols-pages'],
    ['types', 'packages', 'lab'],
  ],
];

interface FinishedPhase {
  readonly name: string;
  readonly seconds: number;
  /** The suite; null for a check, which can't run again. */
  readonly suite: TestSuite | null;
  /** The result. A check with complaints, and a suite that could not be run, has failed outside of its tests. */
  readonly result: TestReport;
}

const BROKEN: TestReport = { outcomes: [], times: [], outside: ['what it printed above says why'] };

interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly { readonly suite: string; readonly title: string; readonly failure: string }[];
  readonly flaky: readonly FlakyTest[];
}

/** Runs a phase. The output of its tool is shown at once if the phase is `live`, else when it is done. */
async function runPhase(
  name: string,
  phase: Phase,
  args: readonly string[],
  live: boolean,
): Promise<FinishedPhase> {
  let text = '';
  const print: Print | undefined = live ? undefined : (part) => void (text += part);
  printLine(`\n── ${name} ──`);
  const started = performance.now();
  const suite = 'suite' in phase ? phase.suite : null;
  let result = BROKEN;
  try {
    if ('suite' in phase) result = await runSuite(phase.suite, args, print);
    else if ((await phase.check(args, print)) === 0) result = { ...BROKEN, outside: [] };
  } catch (error) {
    printProblem(error instanceof Error ? error.message : error);
  }
  const seconds = (performance.now() - started) / 1000;
  if (text !== '') printColoured(`\n${text.trimEnd()}`);
  const verdict = failuresOf(result) === 0 ? 'passed' : 'FAILED';
  printLine(`── ${name}: ${verdict} in ${seconds.toFixed(1)} s ──`);
  return { name, seconds, suite, result };
}

const failuresOf = ({ outcomes, outside }: TestReport): number =>
  outside.length + outcomes.filter(({ failure }) => failure !== null).length;

type Runner = (name: string, phase: Phase) => Promise<FinishedPhase>;

/** The lanes of a stage side by side. The build comes first in its lane, and tests wait for it. */
async function runLanes(lanes: readonly (readonly string[])[], run: Runner): Promise<FinishedPhase[]> {
  let built: Promise<unknown> = Promise.resolve();
  const runLane = async (names: readonly string[]): Promise<FinishedPhase[]> => {
    const finished: FinishedPhase[] = [];
    for (const name of names) {
      const phase = PHASES[name];
      if (phase === undefined) continue;
      if ('suite' in phase) await built;
      const end = run(name, phase);
      if (name === 'build') built = end;
      finished.push(await end);
    }
    return finished;
  };
  return (await Promise.all(lanes.map(runLane))).flat();
}

/** The number of failures at which a run is broken, and nothing runs again. */
const MOST_AGAIN = 5;

/** Sums up the phases. With `again` it first runs failed files again. */
async function summarized(phases: readonly FinishedPhase[], again: boolean): Promise<Summary> {
  let [passed, failed] = [0, 0];
  const failures: { suite: string; title: string; failure: string }[] = [];
  const flaky: FlakyTest[] = [];
  const fail = (suite: string, title: string, failure: string): void => {
    failed++;
    failures.push({ suite, title, failure });
  };
  const all = phases.reduce((sum, { result }) => sum + failuresOf(result), 0);
  const chance = again && all <= MOST_AGAIN;
  if (again && !chance) printLine(`\n${all} failed, more than ${MOST_AGAIN}: nothing runs once more.`);
  for (const { name, suite, result } of phases) {
    const isAgain = chance && suite !== null && result.outcomes.some(({ failure }) => failure !== null);
    if (isAgain) printLine(`\n── what failed of ${name}, once more ──`);
    const both = isAgain ? await secondChance(suite, result) : { ...result, flaky: [] };
    flaky.push(...both.flaky);
    for (const outcome of both.outcomes)
      if (outcome.failure === null) passed++;
      else fail(name, titleOf(outcome), outcome.failure);
    for (const failure of both.outside)
      fail(name, suite === null ? 'the check' : 'outside of its tests', failure);
  }
  if (flaky.length > MOST_FLAKY)
    fail('all', `${flaky.length} flaky tests in one run, and ${MOST_FLAKY} are the most`, '');
  return { passed, failed, failures, flaky };
}

const firstLines = (text: string): string => text.split('\n').slice(0, MOST_LINES).join('\n');

/** Prints everything that a long log's end should have, because the tests' host may keep no more than that. */
function report(phases: readonly FinishedPhase[], { failures, flaky }: Summary): void {
  for (const { suite, title, failure } of failures)
    printLine(`\nFailed in ${suite}: ${firstLines(`${title}\n${failure}`.trim())}`);
  if (flaky.length > 0) {
    printLine('\nFlaky: failed, and passed when run once more, alone');
    for (const { suite, title, failure } of flaky)
      printLine(`\n  ${suite}: ${firstLines(`${title}\n${failure}`).replaceAll('\n', '\n    ')}`);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  printLine(`\nphase             seconds   (${seconds} s in all)`);
  for (const phase of phases) printLine(`${phase.name.padEnd(16)} ${phase.seconds.toFixed(1).padStart(8)}`);
}

const HELP = `npm test [-- PHASE…]: all checks and tests, or the phases named. Behind a single phase, arguments of its tool:
npm test -- unit src/run, npm test -- e2e --project=wasm.

A file with a test that failed runs once more, alone, after everything else; docs/testing.md. --no-second-chance leaves that out.

Slow proofs are left to small siblings. PROOFS=all takes those of all but kernels, KERNELS=all those, which a hardware GPU
takes by itself: PROOFS=all npm test -- unit.

${Object.entries(PHASES)
  .map(([name, { purpose }]) => `  ${name.padEnd(15)}  ${purpose}`)
  .join('\n')}
  e2e              pages, runs and protocols-pages`;

interface Asked {
  readonly names: readonly string[];
  readonly args: readonly string[];
}

/** The phases that are asked for, and the arguments after a single one. Ends the program if they can't be run. */
function askedFor(words: readonly string[]): Asked {
  const other = words.findIndex((word) => word !== 'e2e' && !Object.hasOwn(PHASES, word));
  const names = other < 0 ? words : words.slice(0, other);
  const args = other < 0 ? [] : words.slice(other);
  if (args.length > 0 && names.length !== 1) {
    printProblem(
      `There is no phase "${args[0]}"; the phases are ${Object.keys(PHASES).join(', ')}, e2e. Arguments of a tool need one phase before them.`,
    );
    process.exit(2);
  }
  return { names, args };
}

async function runAll({ names, args }: Asked): Promise<FinishedPhase[]> {
  if (names[0] === 'e2e' && args.length > 0) {
    const suite: TestSuite = { name: 'e2e', tool: 'playwright', projects: [], needsBrowser: true };
    return [await runPhase('e2e', { purpose: '', suite }, args, true)];
  }
  const chosen = names.flatMap((name) => (name === 'e2e' ? E2E : [name]));
  const isWanted = (name: string): boolean => chosen.length === 0 || chosen.includes(name);
  const stages = STAGES.map((lanes) => lanes.map((lane) => lane.filter(isWanted)));
  const live = stages.flat(2).length === 1;
  const finished: FinishedPhase[] = [];
  for (const lanes of stages)
    finished.push(...(await runLanes(lanes, (name, phase) => runPhase(name, phase, args, live))));
  return finished;
}

const words = process.argv.slice(2);
if (words.includes('--help') || words.includes('-h')) {
  printLine(HELP);
  process.exit(0);
}
const ONCE = '--no-second-chance';
const asked = askedFor(words.filter((word) => word !== ONCE));
mkdirSync(REPORTS, { recursive: true });
const started = performance.now();
const phases = await runAll(asked);
const summary = await summarized(phases, !words.includes(ONCE));
report(phases, summary);
writeFileSync(join(REPORTS, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
if (phases.some(({ name }) => name === 'protocols') && findNatsServer() === null)
  printLine('\nLeft out: the tests of machines that join a run. There is no nats-server on this machine.');
printLine(`\n${summary.passed} passed, ${summary.failed} failed`);
process.exitCode = summary.failed === 0 ? 0 : 1;
