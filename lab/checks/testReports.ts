/** What the JSON reports of Vitest and Playwright say: what became of each test, and how long each file took. */
import { stripVTControlCharacters } from 'node:util';
import type { JSONReport, JSONReportSpec, JSONReportSuite } from '@playwright/test/reporter';
import type { JsonTestResults } from 'vitest/node';

/** What became of a test, or of a file whose tests could not be run. */
export interface TestOutcome {
  /** As its tool is given it: relative to the repository. */
  readonly file: string;
  /** Of Playwright's, under which the test ran; null for Vitest's. */
  readonly project: string | null;
  /** Null for the file as a whole: it could not be loaded, or failed outside of its tests. */
  readonly name: string | null;
  /** Without colours; null where it passed. */
  readonly failure: string | null;
}

export interface FileTime {
  /** Relative to the repository, behind its project where it has one. */
  readonly file: string;
  readonly seconds: number;
}

export interface TestReport {
  /** Without tests that were skipped. */
  readonly outcomes: readonly TestOutcome[];
  readonly times: readonly FileTime[];
  /** Failures that belong to no file, which nothing can be run again for. */
  readonly outside: readonly string[];
}

const plain = (message: string): string => stripVTControlCharacters(message).trimEnd();

/** A test by its place, for people and to find it in another report. */
export const titleOf = ({ project, file, name }: TestOutcome): string =>
  [project, name === null ? file : `${file}: ${name}`].filter((part) => part !== null).join(' ');

/** Paths are cut to what follows `root`. A file's time is that from its first test to its last. */
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

/** With the titles of the groups that they stand in, so that no two of a file have the same. */
function specsOf(
  { title, specs, suites = [] }: JSONReportSuite,
  groups: readonly string[] = [],
): Pick<JSONReportSpec, 'file' | 'title' | 'tests'>[] {
  const named = specs.map((spec) => ({ ...spec, title: [...groups, spec.title].join(' › ') }));
  // The outermost is the file.
  const inner = title === '' || title.endsWith('.ts') ? groups : [...groups, title];
  return [...named, ...suites.flatMap((below) => specsOf(below, [...inner, below.title]))];
}

/** `folder`: where the tests are, in the repository. A file's time is that of its tests, added up. */
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
