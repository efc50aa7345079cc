/** The suites of tests: the tool that runs each of its projects, and the results. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JSONReport } from '@playwright/test/reporter';
import type { JsonTestResults } from 'vitest/node';
import { ensureBrowser } from '../../src/cli/enginePage.ts';
import { readPlaywright, readVitest, type TestReport } from './testReports.ts';
import { repository, runTool } from '../../src/cli/tools.ts';

/** The folder of the tools' reports and of the summary of all. */
export const REPORTS = join(repository, 'node_modules/.cache/rl-playground/reports');
/** The folder of Playwright's tests. */
export const E2E_FOLDER = 'e2e';
/** The failed tests of one suite after which its tool gives up: by then something is broken that every other test would wait for too. */
const MOST_FAILURES = 10;

export type Print = (text: string) => void;

export interface TestSuite {
  readonly name: string;
  readonly tool: 'vitest' | 'playwright';
  /** The projects in `vitest.config.ts` or `playwright.config.ts`. */
  readonly projects: readonly string[];
  readonly needsBrowser: boolean;
  /** The number of tests at a time; by default that of the configuration. */
  readonly workers?: number;
}

export const SUITES = {
  unit: { name: 'unit', tool: 'vitest', projects: ['unit', 'alone'], needsBrowser: false },
  lab: { name: 'lab', tool: 'vitest', projects: ['lab'], needsBrowser: true },
  packages: { name: 'packages', tool: 'vitest', projects: ['packages'], needsBrowser: true },
  kernels: { name: 'kernels', tool: 'vitest', projects: ['kernels', 'kernels-alone'], needsBrowser: true },
  pages: { name: 'pages', tool: 'playwright', projects: ['pages'], needsBrowser: true, workers: 2 },
  runs: { name: 'runs', tool: 'playwright', projects: ['webgpu', 'wasm', 'plain'], needsBrowser: true },
  protocols: { name: 'protocols', tool: 'vitest', projects: ['protocols'], needsBrowser: false },
  'protocols-pages': {
    name: 'protocols-pages',
    tool: 'playwright',
    projects: ['protocols'],
    needsBrowser: true,
  },
} as const satisfies Record<string, TestSuite>;

const fileOf = ({ name }: TestSuite): string => join(REPORTS, `${name}.json`);

/** The report of the suite's last run; null if there is none. */
export function reportOf(suite: TestSuite): TestReport | null {
  if (!existsSync(fileOf(suite))) return null;
  const report: unknown = JSON.parse(readFileSync(fileOf(suite), 'utf8'));
  return suite.tool === 'vitest'
    ? readVitest(report as JsonTestResults, repository)
    : readPlaywright(report as JSONReport, E2E_FOLDER);
}

/** Words that make the suite's tool write its report beside what it prints. */
function wordsOf({ tool, name, projects, workers }: TestSuite, file: string): string[] {
  const named = projects.map((project) => `--project=${project}`);
  if (tool === 'vitest') {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    return ['run', ...named, ...reporters, `--bail=${MOST_FAILURES}`];
  }
  // A folder for each suite: Playwright empties its own as it starts, and one starts while another has downloads in it.
  const output = ['--reporter=list,json', `--output=${join('test-results', name)}`];
  const atATime = workers === undefined ? [] : [`--workers=${workers}`];
  return ['test', ...named, ...output, `--max-failures=${MOST_FAILURES}`, ...atATime];
}

/**
 * Runs a suite with more arguments of its tool. The tool's output goes to our standard streams if `print` is undefined. Resolves to its
 * report, with another failure if the tool failed and no test of it did.
 */
export async function runSuite(
  suite: TestSuite,
  args: readonly string[],
  print?: Print,
): Promise<TestReport> {
  if (suite.needsBrowser) ensureBrowser();
  const file = fileOf(suite);
  rmSync(file, { force: true });
  const environment = { PLAYWRIGHT_JSON_OUTPUT_FILE: file };
  const exitCode = await runTool(suite.tool, [...wordsOf(suite, file), ...args], environment, print);
  const report = reportOf(suite) ?? { outcomes: [], times: [], outside: [] };
  const { outcomes, outside } = report;
  if (exitCode === 0 || outside.length > 0 || outcomes.some(({ failure }) => failure !== null)) return report;
  const unsaid = `${suite.tool} ended with exit code ${exitCode}; what it printed above says why.`;
  return { ...report, outside: [unsaid] };
}
