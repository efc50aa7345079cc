/** What the JSON reports of Vitest and Playwright say: what became of each test, and how long each file took. */
import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';

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

const vitestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      /** Why the file could not be loaded. */
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
      /** Milliseconds; both are 0 or missing where a file could not be loaded. */
      startTime: z.number().default(0),
      endTime: z.number().default(0),
    }),
  ),
});

/** Paths are cut to what follows `root`. A file's time is that from its first test to its last. @throws where it is no report of Vitest's. */
export function readVitest(report: unknown, root: string): TestReport {
  const files = vitestReport.parse(report).testResults.map((result) => ({
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

interface Suite {
  readonly title: string;
  readonly specs: readonly {
    readonly file: string;
    readonly title: string;
    readonly tests: readonly {
      readonly projectName: string;
      readonly status: string;
      readonly results: readonly {
        readonly duration: number;
        readonly errors: readonly { readonly message: string }[];
      }[];
    }[];
  }[];
  readonly suites?: readonly Suite[] | undefined;
}

const suite: z.ZodType<Suite> = z.lazy(() =>
  z.object({
    title: z.string().default(''),
    specs: z.array(
      z.object({
        file: z.string(),
        title: z.string(),
        tests: z.array(
          z.object({
            projectName: z.string(),
            status: z.string(),
            results: z.array(
              z.object({
                duration: z.number(),
                errors: z.array(z.object({ message: z.string().default('') })).default([]),
              }),
            ),
          }),
        ),
      }),
    ),
    suites: z.array(suite).optional(),
  }),
);

const playwrightReport = z.object({
  errors: z.array(z.object({ message: z.string().default('') })),
  suites: z.array(suite).default([]),
});

type Spec = Suite['specs'][number];

/** With the titles of the groups that they stand in, so that no two of a file have the same. */
function specsOf({ title, specs, suites = [] }: Suite, groups: readonly string[] = []): Spec[] {
  const named = specs.map((spec) => ({ ...spec, title: [...groups, spec.title].join(' › ') }));
  // The outermost is the file.
  const inner = title === '' || title.endsWith('.ts') ? groups : [...groups, title];
  return [...named, ...suites.flatMap((below) => specsOf(below, [...inner, below.title]))];
}

/** `folder`: where the tests are, in the repository. A file's time is that of its tests, added up. @throws where it is no report of Playwright's. */
export function readPlaywright(report: unknown, folder: string): TestReport {
  const { suites, errors } = playwrightReport.parse(report);
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
    outside: errors.map(({ message }) => plain(message)),
  };
}

/** The longest first. */
export function slowest(times: readonly FileTime[], most: number): FileTime[] {
  return times.toSorted((a, b) => b.seconds - a.seconds).slice(0, most);
}
