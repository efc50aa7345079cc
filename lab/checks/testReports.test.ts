import type { JSONReport } from '@playwright/test/reporter';
import { expect, test } from 'vitest';
import type { JsonTestResults } from 'vitest/node';
import { readPlaywright, readVitest, titleOf } from './testReports.ts';

test('Vitest: what became of each test, files that never loaded or failed outside of their tests, and how long each took', () => {
  const report = {
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
          { fullName: 'is left out', status: 'skipped' },
        ],
        startTime: 1000,
        endTime: 3500,
      },
      { name: '/repo/src/b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
      {
        name: '/repo/src/c.test.ts',
        status: 'failed',
        message: 'the end failed',
        assertionResults: [{ fullName: 'passes', status: 'passed' }],
      },
    ],
  };
  const { outcomes, times, outside } = readVitest(report as unknown as JsonTestResults, '/repo/');
  const project = null;
  expect(outcomes).toEqual([
    { file: 'src/a.test.ts', project, name: 'adds', failure: null },
    { file: 'src/a.test.ts', project, name: 'divides', failure: 'expected 1\n  at a.ts' },
    { file: 'src/b.test.ts', project, name: null, failure: 'no such module' },
    { file: 'src/c.test.ts', project, name: 'passes', failure: null },
    { file: 'src/c.test.ts', project, name: null, failure: 'the end failed' },
  ]);
  expect(outcomes.map(titleOf).slice(1, 3)).toEqual(['src/a.test.ts: divides', 'src/b.test.ts']);
  expect(times[0]).toEqual({ file: 'src/a.test.ts', seconds: 2.5 });
  expect(outside).toEqual([]);
});

test('Playwright: tests of each project by their groups, and errors outside of them', () => {
  const spec = (title: string, ...tests: object[]) => ({ file: 'a.spec.ts', title, tests });
  const run = (projectName: string, status: string, duration: number, ...messages: string[]) => ({
    projectName,
    status,
    results: [{ duration, errors: messages.map((message) => ({ message })) }],
  });
  const report = {
    errors: [{ message: 'no server' }],
    suites: [
      {
        title: 'a.spec.ts',
        specs: [spec('opens', run('wasm', 'expected', 1500), run('plain', 'unexpected', 500, 'too late'))],
        suites: [
          {
            title: 'a run',
            specs: [spec('opens', run('wasm', 'expected', 2000), run('plain', 'skipped', 0))],
          },
        ],
      },
    ],
  };
  const { outcomes, times, outside } = readPlaywright(report as unknown as JSONReport, 'e2e');
  expect(outcomes).toEqual([
    { file: 'e2e/a.spec.ts', project: 'wasm', name: 'opens', failure: null },
    { file: 'e2e/a.spec.ts', project: 'plain', name: 'opens', failure: 'too late' },
    { file: 'e2e/a.spec.ts', project: 'wasm', name: 'a run › opens', failure: null },
  ]);
  expect(times).toEqual([
    { file: 'wasm e2e/a.spec.ts', seconds: 3.5 },
    { file: 'plain e2e/a.spec.ts', seconds: 0.5 },
  ]);
  expect(outside).toEqual(['no server']);
});
