/** Counts tests in the JSON reports of Vitest and Playwright. */
import * as z from 'zod';

export interface TestCount {
  readonly passed: number;
  readonly failed: number;
}

const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.unknown()) })),
});

const playwrightReport = z.object({
  stats: z.object({ expected: z.number(), flaky: z.number(), unexpected: z.number() }),
  errors: z.array(z.unknown()),
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

/**
 * What a phase adds to the sum: its report's count (`null`: it wrote none), and at least one failure where the tool
 * said that it failed.
 */
export function phaseCount(exitCode: number, counted: TestCount | null): TestCount {
  const { passed, failed } = counted ?? { passed: 0, failed: 0 };
  return { passed, failed: exitCode === 0 ? failed : Math.max(failed, 1) };
}
