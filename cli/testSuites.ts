/** The suites of tests: which tool runs which of its projects, and what came of it. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBrowser } from './ensureBrowser.ts';
import { readPlaywright, readVitest, type TestReport } from './testReports.ts';
import { repository, runTool } from './tools.ts';

/** Where the tools' reports and the summary of all are left. */
export const REPORTS = join(repository, 'node_modules/.cache/rl-playground/reports');
/** Where Playwright's tests are. */
export const E2E_FOLDER = 'e2e';
/** Tests of one suite that fail until its tool gives up: by then something is broken that every other test would wait for too. */
const MOST_FAILURES = 10;

export type Print = (text: string) => void;

export interface TestSuite {
  readonly name: string;
  readonly tool: 'vitest' | 'playwright';
  /** Of `vitest.config.ts` or `playwright.config.ts`. */
  readonly projects: readonly string[];
  readonly needsBrowser: boolean;
  /** Tests at a time; where it is left out, as the configuration says. */
  readonly workers?: number;
}

export interface SuiteResult extends TestReport {
  readonly exitCode: number;
}

export const SUITES = {
  unit: { name: 'unit', tool: 'vitest', projects: ['unit', 'alone'], needsBrowser: false },
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

const NOTHING: TestReport = { outcomes: [], times: [], outside: [] };

function readReport(file: string): unknown {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/** The report, and one failure more where the tool failed and no test of it did. */
function judged(tool: string, exitCode: number, report: TestReport | null): SuiteResult {
  const { outcomes, times, outside } = report ?? NOTHING;
  const failed = outside.length > 0 || outcomes.some(({ failure }) => failure !== null);
  const unsaid =
    exitCode === 0 || failed
      ? []
      : [`${tool} ended with exit code ${exitCode}; what it printed above says why.`];
  return { exitCode, outcomes, times, outside: [...outside, ...unsaid] };
}

async function vitest(suite: TestSuite, args: readonly string[], print?: Print): Promise<SuiteResult> {
  const file = join(REPORTS, `${suite.name}.json`);
  rmSync(file, { force: true });
  const words = [
    'run',
    ...suite.projects.map((project) => `--project=${project}`),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    `--bail=${MOST_FAILURES}`,
    ...args,
  ];
  const exitCode = await runTool('vitest', words, {}, print);
  const report = readReport(file);
  return judged('Vitest', exitCode, report === null ? null : readVitest(report, repository));
}

async function playwright(suite: TestSuite, args: readonly string[], print?: Print): Promise<SuiteResult> {
  const file = join(REPORTS, `${suite.name}.json`);
  rmSync(file, { force: true });
  // A folder for each suite: Playwright empties its own as it starts, and one starts while another has downloads in it.
  const output = join('test-results', suite.name);
  const words = [
    'test',
    '--reporter=list,json',
    `--output=${output}`,
    `--max-failures=${MOST_FAILURES}`,
    ...suite.projects.map((project) => `--project=${project}`),
    ...(suite.workers === undefined ? [] : [`--workers=${suite.workers}`]),
    ...args,
  ];
  const exitCode = await runTool('playwright', words, { PLAYWRIGHT_JSON_OUTPUT_FILE: file }, print);
  const report = readReport(file);
  return judged('Playwright', exitCode, report === null ? null : readPlaywright(report, E2E_FOLDER));
}

/** Runs a suite with more arguments of its tool. What the tool prints goes to our standard streams where `print` is undefined. */
export function runSuite(suite: TestSuite, args: readonly string[], print?: Print): Promise<SuiteResult> {
  if (suite.needsBrowser) ensureBrowser();
  return suite.tool === 'vitest' ? vitest(suite, args, print) : playwright(suite, args, print);
}
