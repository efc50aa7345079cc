/**
 * `npm test [-- PHASE…]`: all checks and tests, or the phases named; behind a single one, arguments of its tool. Prints how long each phase and
 * its slowest files took. The last line is always "N passed, N failed"; a failed check counts as one failure.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBrowser } from './browser.ts';
import { ensureBuilt } from './build.ts';
import {
  addressesInLockfile,
  missingFiles,
  movableActions,
  suppressions,
  unlockedPackages,
} from './checkRepository.ts';
import { findNatsServer } from './natsServer.ts';
import {
  countPlaywright,
  countVitest,
  phaseCount,
  playwrightFailures,
  playwrightTimes,
  slowest,
  vitestFailures,
  vitestTimes,
  type FileTime,
  type TestCount,
} from './testReports.ts';
import { repository, runTool } from './tools.ts';

const reports = join(repository, 'node_modules/.cache/rl-playground/reports');
const MOST_FILES = 10;
/** Of a failure's message, in the summary. */
const MOST_LINES = 14;

type Print = (text: string) => void;

interface PhaseResult {
  readonly count: TestCount;
  readonly times: readonly FileTime[];
  readonly failures: readonly string[];
}

/** What a tool prints goes to our standard streams where `print` is undefined. */
type Phase = (args: readonly string[], print?: Print) => Promise<PhaseResult>;

interface FinishedPhase extends PhaseResult {
  readonly name: string;
  readonly seconds: number;
}

function readReport(file: string): unknown {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

function sourceFiles(): Map<string, string> {
  const paths = ['src', 'cli', 'e2e', 'examples', 'vite'].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  );
  const texts = paths.filter((path) => /\.(ts|tsx|mjs|js|css|wgsl)$/.test(path));
  return new Map(texts.map((path) => [path, readFileSync(join(repository, path), 'utf8')]));
}

function workflows(): Map<string, string> {
  const folder = '.github/workflows';
  const names = readdirSync(join(repository, folder)).map((name) => `${folder}/${name}`);
  return new Map(names.map((name) => [name, readFileSync(join(repository, name), 'utf8')]));
}

/** Pages that name what there is; CONTRIBUTING.md names what there could be, and has a test of its own. */
function pages(): Map<string, string> {
  const docs = readdirSync(join(repository, 'docs')).filter((name) => name.endsWith('.md'));
  const names = ['README.md', ...docs.map((name) => `docs/${name}`)];
  return new Map(names.map((name) => [name, readFileSync(join(repository, name), 'utf8')]));
}

function foldersOf(...parents: readonly string[]): Set<string> {
  const entries = parents.flatMap((parent) => readdirSync(join(repository, parent), { withFileTypes: true }));
  return new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name));
}

const checkOf = (failed: number): PhaseResult => ({
  count: phaseCount(failed, null),
  times: [],
  failures: [],
});

const checkRepository: Phase = async (_args, print = (text) => void process.stderr.write(text)) => {
  const lockfile = readFileSync(join(repository, 'package-lock.json'), 'utf8');
  const complaints = [
    ...addressesInLockfile(lockfile).map((line) => `Address in the lockfile: ${line}`),
    ...unlockedPackages(lockfile).map((line) => `Not in the lockfile, so npm ci fails: ${line}`),
    ...suppressions(sourceFiles()).map((line) => `Comment that silences a check: ${line}`),
    ...movableActions(workflows()).map((line) => `Action that is not named by its commit: ${line}`),
    ...missingFiles(pages(), foldersOf('.', 'src'), (path) => existsSync(join(repository, path))).map(
      (line) => `File that a page names and that is not there: ${line}`,
    ),
  ];
  for (const line of complaints) print(`${line}\n`);
  return Promise.resolve(checkOf(complaints.length));
};

const lint: Phase = async (args, print) => {
  const oxlint = await runTool('oxlint', args, {}, print);
  const formatting = args.length > 0 ? 0 : await runTool('oxfmt', ['--check'], {}, print);
  return checkOf(oxlint + formatting);
};

const types: Phase = async (args, print) => checkOf(await runTool('tsc', ['-p', '.', ...args], {}, print));

function vitest(name: string, projects: readonly string[]): Phase {
  return async (args, print) => {
    const file = join(reports, `${name}.json`);
    rmSync(file, { force: true });
    const code = await runTool(
      'vitest',
      [
        'run',
        ...projects.map((project) => `--project=${project}`),
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
        ...args,
      ],
      {},
      print,
    );
    const report = readReport(file);
    return report === null
      ? checkOf(code)
      : {
          count: phaseCount(code, countVitest(report)),
          times: vitestTimes(report, repository),
          failures: vitestFailures(report, repository),
        };
  };
}

/** Of `playwright.config.ts`: those whose runs keep the machine busy by themselves, one test at a time. */
const WHOLE_RUNS = ['--project=webgpu', '--project=wasm', '--project=plain'] as const;

function inBrowser(phase: Phase): Phase {
  return (args, print) => {
    ensureBrowser();
    return phase(args, print);
  };
}

async function playwright(name: string, args: readonly string[], print?: Print): Promise<PhaseResult> {
  const file = join(reports, `${name}.json`);
  rmSync(file, { force: true });
  const environment = { PLAYWRIGHT_JSON_OUTPUT_FILE: file };
  // A folder for each phase: Playwright empties its own as it starts, and `runs` starts while `pages` has downloads in it.
  const output = join('test-results', name);
  const code = await runTool(
    'playwright',
    ['test', '--reporter=list,json', `--output=${output}`, ...args],
    environment,
    print,
  );
  const report = readReport(file);
  return report === null
    ? checkOf(code)
    : {
        count: phaseCount(code, countPlaywright(report)),
        times: playwrightTimes(report),
        failures: playwrightFailures(report),
      };
}

interface NamedPhase {
  readonly purpose: string;
  readonly run: Phase;
}

const PHASES: Readonly<Record<string, NamedPhase>> = {
  build: {
    purpose: 'the page, and the SIMD kernels that tests in Node and in a browser share with it',
    run: async (_args, print) => {
      await ensureBuilt(print);
      return checkOf(0);
    },
  },
  repository: {
    purpose: 'what no linter knows: the lockfile, comments that silence checks, files that pages name',
    run: checkRepository,
  },
  lint: { purpose: 'oxlint and the formatting', run: lint },
  types: { purpose: 'TypeScript', run: types },
  unit: { purpose: 'tests in Node', run: vitest('unit', ['unit', 'alone']) },
  kernels: {
    purpose: 'kernels and what stands on them in a browser, on the GPU or on its software adapter',
    run: inBrowser(vitest('kernels', ['kernels', 'kernels-alone'])),
  },
  pages: {
    purpose: 'the built page as a person uses it, two tests at a time',
    run: inBrowser((args, print) => playwright('pages', ['--project=pages', '--workers=2', ...args], print)),
  },
  runs: {
    purpose: 'whole runs of the built page on each device, one test at a time',
    run: inBrowser((args, print) => playwright('runs', [...WHOLE_RUNS, ...args], print)),
  },
};

/** `e2e` stands for both kinds of tests on the built page. */
const E2E: readonly string[] = ['pages', 'runs'];

/**
 * A stage after the other, for tests need what is built; the lanes of a stage side by side, each a phase after the other. Together they keep two
 * cores busy from end to end.
 */
const STAGES: readonly (readonly (readonly string[])[])[] = [
  [['build'], ['repository', 'lint', 'types']],
  [
    ['kernels', 'runs'],
    ['unit', 'pages'],
  ],
];

/** What a phase prints is shown at once where it is `live`, else when it is done. */
async function runPhase(
  name: string,
  run: Phase,
  args: readonly string[],
  live: boolean,
): Promise<FinishedPhase> {
  let text = '';
  const print = live ? undefined : (part: string) => void (text += part);
  console.log(`\n── ${name} ──`);
  const started = performance.now();
  let result = checkOf(1);
  try {
    result = await run(args, print);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
  const seconds = (performance.now() - started) / 1000;
  if (text !== '') console.log(`\n${text.trimEnd()}`);
  const { failed } = result.count;
  console.log(`── ${name}: ${failed === 0 ? 'passed' : 'FAILED'} in ${seconds.toFixed(1)} s ──`);
  return { name, seconds, ...result };
}

async function runLane(
  names: readonly string[],
  args: readonly string[],
  live: boolean,
): Promise<FinishedPhase[]> {
  const finished: FinishedPhase[] = [];
  for (const name of names) {
    const phase = PHASES[name];
    if (phase !== undefined) finished.push(await runPhase(name, phase.run, args, live));
  }
  return finished;
}

const firstLines = (text: string): string => text.split('\n').slice(0, MOST_LINES).join('\n');

function report(phases: readonly FinishedPhase[]): void {
  for (const { name, times } of phases.filter((phase) => phase.times.length > 0)) {
    console.log(`\nSlowest files of ${name}, seconds:`);
    for (const { file, seconds } of slowest(times, MOST_FILES))
      console.log(`${seconds.toFixed(1).padStart(7)}  ${file}`);
  }
  // Said again where a long log ends: what runs it may keep no more than that.
  for (const { name, failures } of phases)
    for (const text of failures) console.log(`\nFailed in ${name}: ${firstLines(text)}`);
  console.log(
    `\nphase       seconds  passed  failed   (${((performance.now() - started) / 1000).toFixed(1)} s in all)`,
  );
  for (const { name, seconds, count } of phases)
    console.log(
      `${name.padEnd(10)} ${seconds.toFixed(1).padStart(8)} ${`${count.passed}`.padStart(7)} ${`${count.failed}`.padStart(7)}`,
    );
}

const HELP = `npm test [-- PHASE…]: all checks and tests, or the phases named. Behind a single phase, arguments of its tool:
npm run test:unit -- src/rl, npm run test:e2e -- --project=wasm.

Slow proofs are left to small siblings. PROOFS=all takes those of unit, pages and runs, KERNELS=all those of kernels, which a hardware GPU
takes by itself: PROOFS=all npm run test:unit.

${Object.entries(PHASES)
  .map(([name, { purpose }]) => `  ${name.padEnd(10)}  ${purpose}`)
  .join('\n')}
  e2e         pages and runs`;

interface Asked {
  readonly names: readonly string[];
  readonly args: readonly string[];
}

/** The phases that are asked for, and the arguments behind a single one. Ends the program where they can't be run. */
function askedFor(words: readonly string[]): Asked {
  const other = words.findIndex((word) => word !== 'e2e' && !Object.hasOwn(PHASES, word));
  const names = other < 0 ? words : words.slice(0, other);
  const args = other < 0 ? [] : words.slice(other);
  if (args.length > 0 && names.length !== 1) {
    console.error(
      `There is no phase "${args[0]}"; the phases are ${Object.keys(PHASES).join(', ')}, e2e. Arguments of a tool need one phase before them.`,
    );
    process.exit(2);
  }
  return { names, args };
}

async function runAll({ names, args }: Asked): Promise<FinishedPhase[]> {
  if (names[0] === 'e2e' && args.length > 0)
    return [
      await runPhase(
        'e2e',
        inBrowser((all, print) => playwright('e2e', all, print)),
        args,
        true,
      ),
    ];
  const chosen = names.flatMap((name) => (name === 'e2e' ? E2E : [name]));
  const isWanted = (name: string): boolean => chosen.length === 0 || chosen.includes(name);
  const stages = STAGES.map((lanes) => lanes.map((lane) => lane.filter(isWanted)));
  const live = stages.flat().filter((lane) => lane.length > 0).length === 1;
  const finished: FinishedPhase[] = [];
  for (const lanes of stages) {
    const ends = await Promise.all(lanes.map((lane) => runLane(lane, args, live)));
    finished.push(...ends.flat());
  }
  return finished;
}

const words = process.argv.slice(2);
if (words.includes('--help') || words.includes('-h')) {
  console.log(HELP);
  process.exit(0);
}
const asked = askedFor(words);
mkdirSync(reports, { recursive: true });
const started = performance.now();
const phases = await runAll(asked);
report(phases);
if (phases.some(({ name }) => name === 'unit') && findNatsServer() === null)
  console.log('\nLeft out: the tests of machines that join a run. There is no nats-server on this machine.');
const sum = (key: keyof TestCount): number => phases.reduce((all, { count }) => all + count[key], 0);
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
