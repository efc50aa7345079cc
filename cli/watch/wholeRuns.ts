/**
 * Whole runs as the page judges them: which alarms the rules show, after each step and each evaluation, and whether runs that differ in their
 * seeds alone are called different (an A/A comparison).
 */
import { alarmHistory } from '../../src/rl/diagnosis/alarms/watch.ts';
import { differenceBetween, isDistinguishable, type Outcomes } from '../../src/rl/diagnosis/compareRuns.ts';
import type { ReportRun } from '../../src/run/report/input.ts';

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

const outcomeOf = ({ config, evaluations }: ReportRun): Outcomes =>
  evaluations.slice(-1).map((evaluation) => ({ seed: config.seed, evaluation }));

/** Runs of one task two by two, in the order of their seeds; no run is in two pairs. */
function pairsCalledDifferent(runs: readonly ReportRun[]): string {
  const bySeed = runs.toSorted((a, b) => a.config.seed - b.config.seed);
  const found = bySeed.flatMap((run, i) => {
    const next = bySeed[i + 1];
    if (i % 2 === 1 || next === undefined) return [];
    const difference = differenceBetween(outcomeOf(run), outcomeOf(next));
    return difference === null ? [] : [isDistinguishable(difference)];
  });
  return `${found.filter(Boolean).length} of ${found.length}`;
}

/** A table row a task, whose runs have the same settings, then each alarm. */
export function wholeRunsReport(runs: readonly ReportRun[]): string {
  const judged = runs.map((run) => ({
    run,
    alarms: alarmHistory(run.metrics, run.evaluations, run.config),
  }));
  const tasks = [...new Set(runs.map(({ config }) => config.task))];
  const rows = tasks.map((task) => {
    const own = judged.filter(({ run }) => run.config.task === task);
    const steps = new Set(own.map(({ run }) => run.metrics.length));
    const evaluations = new Set(own.map(({ run }) => run.evaluations.length));
    const alarmed = own.filter(({ alarms }) => alarms.length > 0);
    return row([
      task,
      own.length,
      [...steps].join(', '),
      [...evaluations].join(', '),
      alarmed.length,
      pairsCalledDifferent(own.map(({ run }) => run)),
    ]);
  });
  const shown = judged.flatMap(({ run, alarms }) =>
    alarms.map(
      ({ id, since, until }) =>
        `${run.name}: ${id} from step ${since} ${until === null ? 'to the end' : `to ${until}`}`,
    ),
  );
  return [
    row(['task', 'runs', 'steps', 'evaluations', 'with an alarm', 'pairs called different']),
    row(['---', '---', '---', '---', '---', '---']),
    ...rows,
    ...(shown.length > 0 ? ['', ...shown] : []),
  ].join('\n');
}
