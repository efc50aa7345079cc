/**
 * The flake finder: `npm run lab -- flaky --file F --times 50 --beside 2` runs one test file many times beside busy loops and prints how often it failed, with
 * each test's first failure. A test that fails now and then on a busy machine fails here soon.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ensureBuilt } from '../src/cli/build.ts';
import { printLine } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram, wholeNumber } from '../src/cli/program.ts';
import { titleOf } from './checks/testReports.ts';
import { E2E_FOLDER, reportOf, REPORTS, runSuite, SUITES, type TestSuite } from './checks/testSuites.ts';
import { repository } from '../src/cli/tools.ts';

interface Options {
  readonly file: readonly string[];
  readonly longest: number;
  readonly times: number;
  readonly beside: number;
}

interface Found {
  readonly file: string;
  readonly times: number;
  readonly failed: number;
  readonly seconds: number;
}

const line = () =>
  command(
    'npm run lab -- flaky',
    'Runs test files many times beside busy loops, and prints how often they failed. Ends with 1 where any did.',
    '--file src/cli/join.test.ts --times 50 --beside 2',
  )
    .option(
      '--file <path>',
      'a test file, from the folder of the repository; may be said several times',
      (path: string, before: readonly string[]) => [...before, path],
      [] as readonly string[],
    )
    .option('--longest <n>', 'the files that took longest in the last npm test, so many', wholeNumber(0), 0)
    .option('--times <n>', 'runs of each file', wholeNumber(1), 10)
    .option('--beside <n>', 'busy loops that run meanwhile', wholeNumber(0), 2);

/** The suite with which a file runs, whichever of its tool's projects it belongs to. */
function suiteOf(file: string): TestSuite {
  const name = 'flaky';
  if (file.startsWith(`${E2E_FOLDER}/`))
    return { name, tool: 'playwright', projects: [], needsBrowser: true, workers: 1 };
  if (file.endsWith('.gpu.test.ts')) return { ...SUITES.kernels, name };
  return { ...SUITES.unit, name, projects: [...SUITES.unit.projects, ...SUITES.protocols.projects] };
}

/** The files that took longest in the last `npm test`. @throws BadInput if there are no reports of one. */
function longestFiles(most: number): string[] {
  const times = Object.values(SUITES).flatMap((suite) => reportOf(suite)?.times ?? []);
  if (times.length === 0)
    throw new BadInput(
      'There are no reports of an npm test here, so nothing says which files take longest: run npm test first, or name a --file.',
    );
  // Playwright's names have the project before the file.
  const sorted = times.toSorted((a, b) => b.seconds - a.seconds);
  const files = sorted.map(({ file }) => file.split(' ').at(-1) ?? file);
  return [...new Set(files)].slice(0, most);
}

function chosenFiles({ file, longest }: Options): string[] {
  const named = file.map((path) => relative(repository, resolve(repository, path)));
  const missing = named.find((path) => !existsSync(join(repository, path)));
  if (missing !== undefined) throw new BadInput(`There is no file ${missing} in the repository.`);
  const all = [...named, ...(longest > 0 ? longestFiles(longest) : [])];
  if (all.length === 0)
    throw new BadInput('Name a test file with --file, or ask for the longest with --longest N.');
  return all;
}

/** Prints each run, and the first failure of each test that failed as soon as it has. */
async function tried(file: string, times: number): Promise<Found> {
  const known = new Set<string>();
  let failed = 0;
  const began = performance.now();
  for (let i = 1; i <= times; i++) {
    const started = performance.now();
    const { outcomes, outside } = await runSuite(suiteOf(file), [file], () => undefined);
    if (outcomes.length === 0 && outside.length === 0) throw new BadInput(`${file} has no tests.`);
    const failures = [
      ...outcomes.flatMap((test) =>
        test.failure === null ? [] : [{ title: titleOf(test), text: test.failure }],
      ),
      ...outside.map((text) => ({ title: file, text })),
    ];
    if (failures.length > 0) failed++;
    const said = failures.length > 0 ? `FAILED (${failures.map(({ title }) => title).join('; ')})` : 'passed';
    printLine(`${file}  ${i} of ${times}: ${said} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    for (const { title, text } of failures) {
      // A failure outside of tests is known only by its text.
      const name = title === file ? text : title;
      if (known.has(name)) continue;
      known.add(name);
      printLine(`\n${title}\n${text}\n`);
    }
  }
  return { file, times, failed, seconds: (performance.now() - began) / 1000 / times };
}

function told(found: readonly Found[], beside: number): void {
  printLine(`\nfailed       s a run  file (beside ${beside} busy loops)`);
  for (const { file, times, failed, seconds } of found)
    printLine(`${`${failed} of ${times}`.padEnd(10)} ${seconds.toFixed(1).padStart(9)}  ${file}`);
}

export default simpleProgram<Options>(line, async (options) => {
  const files = chosenFiles(options);
  mkdirSync(REPORTS, { recursive: true });
  await ensureBuilt();
  const busy: ChildProcess[] = Array.from({ length: options.beside }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    const found: Found[] = [];
    for (const file of files) found.push(await tried(file, options.times));
    told(found, options.beside);
    return found.some(({ failed }) => failed > 0) ? 1 : 0;
  } finally {
    for (const child of busy) child.kill('SIGKILL');
  }
});
