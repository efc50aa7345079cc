/**
 * One second chance: files with a test that failed run once more, one at a time, when nothing else is running. A test that passes then
 * counts as passed, and is reported with its first failure; one that fails twice has failed. More than a few such tests are a fault of
 * their own.
 */
import { titleOf, type TestOutcome, type TestReport } from './testReports.ts';
import { runSuite, type TestSuite } from './testSuites.ts';

/** The most tests of a run that may pass only at the second time. */
export const MOST_FLAKY = 2;

export interface FlakyTest {
  readonly suite: string;
  readonly title: string;
  /** The failure of the first time, or of the second if only that failed. */
  readonly failure: string;
}

export interface SecondResult {
  readonly outcomes: readonly TestOutcome[];
  readonly outside: readonly string[];
  readonly flaky: readonly FlakyTest[];
}

const failed = ({ failure }: TestOutcome): boolean => failure !== null;

/**
 * The results of the tests from both times. A file that could not be loaded at first is ignored if it could be loaded the second time,
 * and a test that is missing there keeps its failure.
 */
export function bothTimes(
  suite: string,
  first: readonly TestOutcome[],
  second: readonly TestOutcome[],
): Pick<SecondResult, 'outcomes' | 'flaky'> {
  const before = new Map(first.map((outcome) => [titleOf(outcome), outcome]));
  const after = new Map(second.map((outcome) => [titleOf(outcome), outcome]));
  const ranAgain = new Set(second.map(({ file, project }) => `${project} ${file}`));
  const flaky: FlakyTest[] = [];
  const tell = (title: string, failure: string): void => void flaky.push({ suite, title, failure });
  const outcomes: TestOutcome[] = [];
  for (const [title, outcome] of before) {
    const again = after.get(title);
    if (again !== undefined && failed(outcome) !== failed(again)) {
      tell(title, outcome.failure ?? again.failure ?? '');
      outcomes.push({ ...outcome, failure: null });
    } else if (
      outcome.name === null &&
      again === undefined &&
      ranAgain.has(`${outcome.project} ${outcome.file}`)
    )
      tell(title, outcome.failure ?? '');
    else outcomes.push(outcome);
  }
  for (const [title, outcome] of after) if (!before.has(title)) outcomes.push(outcome);
  return { outcomes, flaky };
}

/** The arguments with which its tool runs these files alone. */
export function argumentsFor({ tool }: TestSuite, tests: readonly TestOutcome[]): string[] {
  const files = [...new Set(tests.map(({ file }) => file))];
  return tool === 'vitest' ? [...files, '--maxWorkers=1'] : files;
}

/** The projects of Playwright under which these failed; Vitest finds its own by the file. */
const projectsOf = (suite: TestSuite, tests: readonly TestOutcome[]): readonly string[] =>
  suite.tool === 'vitest' ? suite.projects : [...new Set(tests.flatMap(({ project }) => project ?? []))];

/** Runs the failed files of a suite again. Failures that belong to no file remain, because there is nothing to run. */
export async function secondChance(suite: TestSuite, first: TestReport): Promise<SecondResult> {
  const tests = first.outcomes.filter(failed);
  const alone: TestSuite = {
    ...suite,
    name: `${suite.name}-again`,
    projects: projectsOf(suite, tests),
    ...(suite.tool === 'playwright' && { workers: 1 }),
  };
  const second = await runSuite(alone, argumentsFor(suite, tests));
  return {
    ...bothTimes(suite.name, first.outcomes, second.outcomes),
    outside: [...first.outside, ...second.outside],
  };
}
