/**
 * Whole runs as the page judges them: which alarms the rules show, after each step and each evaluation, and whether runs that differ in their
 * seeds alone are called different (an A/A comparison).
 */
import { alarmHistory, differenceBetween, isDistinguishable, outcomesOf } from '@rl-playground/run/diagnosis';
import { tableOf, tableRow } from '../markdown.ts';
import { armsOf, type ReportRun } from '@rl-playground/bridges/report/input';

/** Runs of the same settings two by two, in the order of their seeds; no run is in two pairs. */
function pairsCalledDifferent(runs: readonly ReportRun[]): string {
  const bySeed = runs.toSorted((a, b) => a.config.seed - b.config.seed);
  const found = bySeed.flatMap((run, i) => {
    const next = bySeed[i + 1];
    if (i % 2 === 1 || next === undefined) return [];
    const difference = differenceBetween(outcomesOf([run]), outcomesOf([next]));
    return difference === null ? [] : [isDistinguishable(difference)];
  });
  return `${found.filter(Boolean).length} of ${found.length}`;
}

/** A table row for the runs of the same settings, then each alarm. */
export function wholeRunsReport(runs: readonly [ReportRun, ...ReportRun[]]): string {
  const alarmsOf = new Map(
    runs.map((run) => [run, alarmHistory(run.metrics, run.evaluations, run.config)] as const),
  );
  const rows = armsOf(runs).map(({ runs: own }) =>
    tableRow([
      own[0].config.task,
      own.length,
      [...new Set(own.map(({ metrics }) => metrics.length))].join(', '),
      [...new Set(own.map(({ evaluations }) => evaluations.length))].join(', '),
      own.filter((run) => alarmsOf.get(run)?.length !== 0).length,
      pairsCalledDifferent(own),
    ]),
  );
  const shown = [...alarmsOf].flatMap(([{ name }, alarms]) =>
    alarms.map(
      ({ id, since, until }) =>
        `${name}: ${id} from step ${since} ${until === null ? 'to the end' : `to ${until}`}`,
    ),
  );
  return [
    tableOf(['task', 'runs', 'steps', 'evaluations', 'with an alarm', 'pairs called different'], rows),
    ...(shown.length > 0 ? ['', ...shown] : []),
  ].join('\n');
}
