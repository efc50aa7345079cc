/**
 * `npm test [phase] [-- arguments of the phase's tool]`: all checks and tests, or one phase. The last line is always
 * "N passed, N failed"; a failed check counts as one failure.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBrowser } from './browser.ts';
import { addressesInLockfile, suppressions, unlockedPackages } from './checkRepository.ts';
import { countPlaywright, countVitest, phaseCount } from './testReports.ts';
import type { TestCount } from './testReports.ts';
import { repository, runTool } from './tools.ts';

const reports = join(repository, 'node_modules/.cache/rl-playground/reports');

function readReport(file: string): unknown {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

function sourceFiles(): Map<string, string> {
  const folders = ['src', 'cli', 'e2e', 'bench'].filter((folder) => existsSync(join(repository, folder)));
  const paths = folders.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  );
  const texts = paths.filter((path) => /\.(ts|tsx|mjs|js|css|wgsl)$/.test(path));
  return new Map(texts.map((path) => [path, readFileSync(join(repository, path), 'utf8')]));
}

async function checkRepository(): Promise<TestCount> {
  const lockfile = readFileSync(join(repository, 'package-lock.json'), 'utf8');
  const complaints = [
    ...addressesInLockfile(lockfile).map((line) => `Address in the lockfile: ${line}`),
    ...unlockedPackages(lockfile).map((line) => `Not in the lockfile, so npm ci fails: ${line}`),
    ...suppressions(sourceFiles()).map((line) => `Comment that silences a check: ${line}`),
  ];
  for (const line of complaints) console.error(line);
  return phaseCount(complaints.length, null);
}

async function lint(args: readonly string[]): Promise<TestCount> {
  const oxlint = await runTool('oxlint', args);
  const prettier = args.length > 0 ? 0 : await runTool('prettier', ['--check', '--log-level', 'warn', '.']);
  return phaseCount(oxlint + prettier, null);
}

async function vitest(project: string, args: readonly string[]): Promise<TestCount> {
  const file = join(reports, `${project}.json`);
  rmSync(file, { force: true });
  const code = await runTool('vitest', [
    'run',
    `--project=${project}`,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...args,
  ]);
  const report = readReport(file);
  return phaseCount(code, report === null ? null : countVitest(report));
}

async function endToEnd(args: readonly string[]): Promise<TestCount> {
  const file = join(reports, 'e2e.json');
  rmSync(file, { force: true });
  const code = await runTool('playwright', ['test', '--reporter=list,json', ...args], {
    PLAYWRIGHT_JSON_OUTPUT_FILE: file,
  });
  const report = readReport(file);
  return phaseCount(code, report === null ? null : countPlaywright(report));
}

const PHASES: Readonly<Record<string, (args: readonly string[]) => Promise<TestCount>>> = {
  repository: checkRepository,
  lint,
  types: async (args) => phaseCount(await runTool('tsc', ['-p', '.', ...args]), null),
  unit: (args) => vitest('unit', args),
  kernels: (args) => {
    ensureBrowser();
    return vitest('kernels', args);
  },
  e2e: (args) => {
    ensureBrowser();
    return endToEnd(args);
  },
};

async function runPhase(name: string, args: readonly string[]): Promise<TestCount> {
  console.log(`\n── ${name} ──`);
  const started = performance.now();
  let count: TestCount = { passed: 0, failed: 1 };
  try {
    count = (await PHASES[name]?.(args)) ?? count;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`── ${name}: ${count.failed === 0 ? 'passed' : 'FAILED'} in ${seconds} s ──`);
  return count;
}

const [chosen, ...args] = process.argv.slice(2);
if (chosen !== undefined && !Object.hasOwn(PHASES, chosen)) {
  console.error(`There is no phase "${chosen}"; the phases are ${Object.keys(PHASES).join(', ')}.`);
  process.exit(2);
}
mkdirSync(reports, { recursive: true });
let passed = 0;
let failed = 0;
for (const name of chosen === undefined ? Object.keys(PHASES) : [chosen]) {
  const count = await runPhase(name, args);
  passed += count.passed;
  failed += count.failed;
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
