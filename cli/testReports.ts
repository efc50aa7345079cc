/** What the JSON reports of Vitest and Playwright say: how many tests passed and failed, how long each file took, and why tests failed. */
import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';

export interface TestCount {
  readonly passed: number;
  readonly failed: number;
}

export interface FileTime {
  /** As the tool names it, or relative to the repository. */
  readonly file: string;
  readonly seconds: number;
}

const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      /** Why the file could not be loaded. */
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({
          fullName: z.string().default(''),
          status: z.string().default(''),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
      /** Milliseconds; both are 0 or missing where a file could not be loaded. */
      startTime: z.number().default(0),
      endTime: z.number().default(0),
    }),
  ),
});

interface Suite {
  readonly specs: readonly {
    readonly file: string;
    readonly title: string;
    readonly tests: readonly {
      readonly projectName: string;
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
    specs: z.array(
      z.object({
        file: z.string(),
        title: z.string().default(''),
        tests: z.array(
          z.object({
            projectName: z.string(),
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
  stats: z.object({ expected: z.number(), flaky: z.number(), unexpected: z.number() }),
  errors: z.array(z.object({ message: z.string().default('') })),
  suites: z.array(suite).default([]),
});

/** A file that could not be loaded counts as one failure: none of its tests ran. */
export function countVitest(report: unknown): TestCount {
  const { numPassedTests, numFailedTests, testResults } = vitestReport.parse(report);
  const unloaded = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  ).length;
  return { passed: numPassedTests, failed: numFailedTests + unloaded };
}

/** A flaky test (passed on a second try) has failed. Errors outside of tests count one each. */
export function countPlaywright(report: unknown): TestCount {
  const { stats, errors } = playwrightReport.parse(report);
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + errors.length };
}

/** From a file's first test to its last; paths are cut to what follows `root`. */
export function vitestTimes(report: unknown, root: string): FileTime[] {
  return vitestReport.parse(report).testResults.map(({ name, startTime, endTime }) => ({
    file: name.startsWith(root) ? name.slice(root.length) : name,
    seconds: (endTime - startTime) / 1000,
  }));
}

type Spec = Suite['specs'][number];

function specsOf(report: unknown): Spec[] {
  const below = ({ specs, suites = [] }: Suite): Spec[] => [...specs, ...suites.flatMap(below)];
  return playwrightReport.parse(report).suites.flatMap(below);
}

/** The tests of a file under one project, added up; its retries too. */
export function playwrightTimes(report: unknown): FileTime[] {
  const seconds = new Map<string, number>();
  for (const { file, tests } of specsOf(report)) {
    for (const { projectName, results } of tests) {
      const name = `${projectName} ${file}`;
      const spent = results.reduce((sum, { duration }) => sum + duration, 0) / 1000;
      seconds.set(name, (seconds.get(name) ?? 0) + spent);
    }
  }
  return [...seconds].map(([file, spent]) => ({ file, seconds: spent }));
}

/** A paragraph for each failure: the test and the message without its colours. A file that could not be loaded is one failure. */
export function vitestFailures(report: unknown, root: string): string[] {
  return vitestReport.parse(report).testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.startsWith(root) ? name.slice(root.length) : name;
    if (assertionResults.length === 0) return status === 'failed' ? [`${file}\n${plain(message)}`] : [];
    return assertionResults
      .filter((test) => test.status === 'failed')
      .map((test) => `${file}: ${test.fullName}\n${plain((test.failureMessages ?? []).join('\n'))}`);
  });
}

/** Like `vitestFailures`; errors outside of tests come last. A retry that passed does not make the first try's error go away. */
export function playwrightFailures(report: unknown): string[] {
  const ofTests = specsOf(report).flatMap(({ file, title, tests }) =>
    tests.flatMap(({ projectName, results }) => {
      const messages = results.flatMap(({ errors }) => errors.map(({ message }) => message));
      return messages.length === 0 ? [] : [`${projectName} ${file}: ${title}\n${plain(messages.join('\n'))}`];
    }),
  );
  const outside = playwrightReport.parse(report).errors.map(({ message }) => plain(message));
  return [...ofTests, ...outside];
}

const plain = (message: string): string => stripVTControlCharacters(message).trimEnd();

/** The longest first. */
export function slowest(times: readonly FileTime[], most: number): FileTime[] {
  return times.toSorted((a, b) => b.seconds - a.seconds).slice(0, most);
}

/**
 * What a phase adds to the sum: its report's count (`null`: it wrote none), and at least one failure where the tool
 * said that it failed.
 */
export function phaseCount(exitCode: number, counted: TestCount | null): TestCount {
  const { passed, failed } = counted ?? { passed: 0, failed: 0 };
  return { passed, failed: exitCode === 0 ? failed : Math.max(failed, 1) };
}
