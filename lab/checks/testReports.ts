/** Reads the JSON reports of Vitest and Playwright: the outcome of each test, and the time of each file. */
import { stripVTControlCharacters } from 'node:util';
import type { JSONReport, JSONReportSpec, JSONReportSuite } from '@playwright/test/reporter';
import type { JsonTestResults } from 'vitest/node';

/** The outcome of a test, or of a file whose tests could not be run. */
export interface TestOutcome {
  /** The file as its tool takes it: relative to the repository. */
  readonly file: string;
  /** The project of Playwright's under which the test ran; null for Vitest's. */
  readonly project: string | null;
  /** The name; null for the file as a whole, which could not be loaded, or failed outside of its tests. */
  readonly name: string | null;
  /** The failure without colours; null if it passed. */
  readonly failure: string | null;
}

export interface FileTime {
  /** The path relative to the repository, after its project if it has one. */
  readonly file: string;
  readonly seconds: number;
}

export interface TestReport {
  /** The outcomes, without tests that were skipped. */
  readonly outcomes: readonly TestOutcome[];
  readonly times: readonly FileTime[];
  /** The failures that belong to no file, for which nothing can be run again. */
  readonly outside: readonly string[];
}

const plain = (message: string): string => stripVTControlCharacters(message).trimEnd();

/** A test by its place, for people and to find it in another report. */
export const titleOf = ({ project, file, name }: TestOutcome): string =>
  [project, name === null ? file : `${file}: ${name}`].filter((part) => part !== null).join(' ');

/** Reads a report of Vitest. Paths are cut to the part after `root`. A file's time is that from its first test to its last. */
export function readVitest({ testResults }: JsonTestResults, root: string): TestReport {
  const files = testResults.map((result) => ({
    ...result,
    file: result.name.startsWith(root) ? result.name.slice(root.length) : result.name,
  }));
  return {
    outcomes: files.flatMap(({ file, status, message, assertionResults }) => {
      const tests = assertionResults
        .filter((test) => test.status === 'passed' || test.status === 'failed')
        .map((test) => ({
          file,
          project: null,
          name: test.fullName,
          failure: test.status === 'failed' ? plain((test.failureMessages ?? []).join('\n')) : null,
        }));
      const explained = status !== 'failed' || tests.some(({ failure }) => failure !== null);
      return explained ? tests : [...tests, { file, project: null, name: null, failure: plain(message) }];
    }),
    times: files.map(({ file, startTime, endTime }) => ({ file, seconds: (endTime - startTime) / 1000 })),
    outside: [],
  };
}

/** The tests with the titles of their groups, so that no two of a file have the same. */
function specsOf(
  { title, specs, suites = [] }: JSONReportSuite,
  groups: readonly string[] = [],
): Pick<JSONReportSpec, 'file' | 'title' | 'tests'>[] {
  const named = specs.map((spec) => ({ ...spec, title: [...groups, spec.title].join(' › ') }));
  // The outermost is the file.
  const inner = title === '' || title.endsWith('.ts') ? groups : [...groups, title];
  return [...named, ...suites.flatMap((below) => specsOf(below, [...inner, below.title]))];
}

/** Reads a report of Playwright. `folder` is that of the tests in the repository. A file's time is the sum of its tests'. */
export function readPlaywright({ suites, errors }: JSONReport, folder: string): TestReport {
  const tests = suites
    .flatMap((each) => specsOf(each))
    .flatMap(({ file, title, tests: ofSpec }) =>
      ofSpec.map((test) => ({ ...test, file: `${folder}/${file}`, title })),
    );
  const seconds = new Map<string, number>();
  for (const { projectName, file, results } of tests) {
    const name = `${projectName} ${file}`;
    const spent = results.reduce((sum, { duration }) => sum + duration, 0) / 1000;
    seconds.set(name, (seconds.get(name) ?? 0) + spent);
  }
  return {
    outcomes: tests
      .filter(({ status }) => status !== 'skipped')
      .map(({ file, title, projectName, status, results }) => ({
        file,
        project: projectName,
        name: title,
        failure:
          status === 'expected'
            ? null
            : plain(results.flatMap((result) => result.errors.map(({ message }) => message)).join('\n')),
      })),
    times: [...seconds].map(([file, spent]) => ({ file, seconds: spent })),
    outside: errors.map(({ message = '' }) => plain(message)),
  };
}
