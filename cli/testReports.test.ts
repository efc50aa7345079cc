import { expect, test } from 'vitest';
import {
  countPlaywright,
  countVitest,
  phaseCount,
  playwrightFailures,
  playwrightTimes,
  slowest,
  vitestFailures,
  vitestTimes,
} from './testReports.ts';

test('Vitest: failed tests, and files that never loaded', () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 2,
    testResults: [
      {
        name: '/repo/src/a.test.ts',
        status: 'passed',
        assertionResults: [{}, {}],
        startTime: 1000,
        endTime: 3500,
      },
      {
        name: '/repo/cli/b.test.ts',
        status: 'failed',
        assertionResults: [{}, {}],
        startTime: 0,
        endTime: 500,
      },
      { name: '/repo/src/c.test.ts', status: 'failed', assertionResults: [] },
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

test('Vitest: how long each file took, the slowest first', () => {
  const file = (name: string, startTime: number, endTime: number) => ({
    name,
    status: 'passed',
    assertionResults: [{}],
    startTime,
    endTime,
  });
  const report = {
    numPassedTests: 3,
    numFailedTests: 0,
    testResults: [
      file('/repo/a.test.ts', 1000, 1500),
      file('/repo/b.test.ts', 0, 2500),
      file('/else/c.ts', 0, 1),
    ],
  };
  expect(slowest(vitestTimes(report, '/repo/'), 2)).toEqual([
    { file: 'b.test.ts', seconds: 2.5 },
    { file: 'a.test.ts', seconds: 0.5 },
  ]);
});

test('Playwright: the time of a file under each project, with its retries', () => {
  const spec = (projectName: string, ...durations: number[]) => ({
    file: 'smoke.spec.ts',
    tests: [{ projectName, results: durations.map((duration) => ({ duration })) }],
  });
  const report = {
    stats: { expected: 3, flaky: 0, unexpected: 0 },
    errors: [],
    suites: [
      { specs: [spec('wasm', 1000)], suites: [{ specs: [spec('wasm', 500, 250), spec('webgpu', 4000)] }] },
    ],
  };
  expect(playwrightTimes(report)).toEqual([
    { file: 'wasm smoke.spec.ts', seconds: 1.75 },
    { file: 'webgpu smoke.spec.ts', seconds: 4 },
  ]);
});

test('Vitest: why tests failed, and files that never loaded', () => {
  const report = {
    numPassedTests: 1,
    numFailedTests: 1,
    testResults: [
      {
        name: '/repo/src/a.test.ts',
        status: 'failed',
        assertionResults: [
          { fullName: 'adds', status: 'passed', failureMessages: [] },
          {
            fullName: 'divides',
            status: 'failed',
            failureMessages: ['\u001b[31mexpected 1\u001b[39m\n  at a.ts'],
          },
        ],
      },
      { name: '/repo/src/b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    ],
  };
  expect(vitestFailures(report, '/repo/')).toEqual([
    'src/a.test.ts: divides\nexpected 1\n  at a.ts',
    'src/b.test.ts\nno such module',
  ]);
});

test('Playwright: why tests failed, and errors outside of them', () => {
  const results = [
    { duration: 1, errors: [{ message: 'too late' }] },
    { duration: 1, errors: [] },
  ];
  const report = {
    stats: { expected: 1, flaky: 1, unexpected: 0 },
    errors: [{ message: 'no server' }],
    suites: [
      {
        specs: [
          { file: 'a.spec.ts', title: 'trains', tests: [{ projectName: 'wasm', results }] },
          { file: 'a.spec.ts', title: 'loads', tests: [{ projectName: 'wasm', results: [{ duration: 1 }] }] },
        ],
      },
    ],
  };
  expect(playwrightFailures(report)).toEqual(['wasm a.spec.ts: trains\ntoo late', 'no server']);
});
