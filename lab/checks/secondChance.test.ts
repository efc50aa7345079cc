import { expect, test } from 'vitest';
import { argumentsFor, bothTimes } from './secondChance.ts';
import type { TestOutcome } from './testReports.ts';
import { SUITES } from './testSuites.ts';

const outcome = (name: string | null, failure: string | null, file = 'a.test.ts'): TestOutcome => ({
  file,
  project: null,
  name,
  failure,
});

test('what fails once has passed and is told; what fails twice, or is missing at the second time, has failed', () => {
  const first = [
    outcome('sound', null),
    outcome('lucky', 'too late'),
    outcome('broken', 'expected 1'),
    outcome('gone', 'no page'),
    outcome('elsewhere', null, 'b.test.ts'),
  ];
  const second = [outcome('sound', null), outcome('lucky', null), outcome('broken', 'expected 1')];
  const { outcomes, flaky } = bothTimes('unit', first, second);
  expect(outcomes).toEqual([
    outcome('sound', null),
    outcome('lucky', null),
    outcome('broken', 'expected 1'),
    outcome('gone', 'no page'),
    outcome('elsewhere', null, 'b.test.ts'),
  ]);
  expect(flaky).toEqual([{ suite: 'unit', title: 'a.test.ts: lucky', failure: 'too late' }]);
});

test('a test that fails at the second time alone is flaky as well', () => {
  const { outcomes, flaky } = bothTimes('unit', [outcome('sound', null)], [outcome('sound', 'too late')]);
  expect(outcomes).toEqual([outcome('sound', null)]);
  expect(flaky).toEqual([{ suite: 'unit', title: 'a.test.ts: sound', failure: 'too late' }]);
});

test('a file that loads at the second time alone counts with its tests, and is flaky itself', () => {
  const { outcomes, flaky } = bothTimes(
    'unit',
    [outcome(null, 'no such module')],
    [outcome('sound', null), outcome('broken', 'expected 1')],
  );
  expect(outcomes).toEqual([outcome('sound', null), outcome('broken', 'expected 1')]);
  expect(flaky).toEqual([{ suite: 'unit', title: 'a.test.ts', failure: 'no such module' }]);
  expect(bothTimes('unit', [outcome(null, 'no such module')], []).outcomes).toEqual([
    outcome(null, 'no such module'),
  ]);
});

test('files that failed run again one at a time, each once', () => {
  const tests = [outcome('one', 'no'), outcome('two', 'no'), outcome('three', 'no', 'b.test.ts')];
  expect(argumentsFor(SUITES.unit, tests)).toEqual(['a.test.ts', 'b.test.ts', '--maxWorkers=1']);
  expect(argumentsFor(SUITES.pages, tests)).toEqual(['a.test.ts', 'b.test.ts']);
});
