import { expect, test } from 'vitest';
import { countPlaywright, countVitest, phaseCount } from './testReports.ts';

test('Vitest: failed tests, and files that never loaded', () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 2,
    testResults: [
      { status: 'passed', assertionResults: [{}, {}] },
      { status: 'failed', assertionResults: [{}, {}] },
      { status: 'failed', assertionResults: [] },
    ],
  };
  expect(countVitest(report)).toEqual({ passed: 5, failed: 3 });
});

test('Playwright: flaky tests and errors outside of tests are failures', () => {
  const report = { stats: { expected: 4, flaky: 1, unexpected: 2, skipped: 3 }, errors: [{}] };
  expect(countPlaywright(report)).toEqual({ passed: 4, failed: 4 });
});

test('a phase that failed without a failed test still counts one', () => {
  expect(phaseCount(1, { passed: 3, failed: 0 })).toEqual({ passed: 3, failed: 1 });
  expect(phaseCount(1, null)).toEqual({ passed: 0, failed: 1 });
  expect(phaseCount(1, { passed: 3, failed: 2 })).toEqual({ passed: 3, failed: 2 });
  expect(phaseCount(0, { passed: 3, failed: 0 })).toEqual({ passed: 3, failed: 0 });
});
