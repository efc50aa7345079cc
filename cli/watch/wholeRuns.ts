/** Whole runs as the watch sees them: which alarms the rules show, after each step and each evaluation. */
import { alarmHistory } from '../../src/rl/diagnosis/alarms/watch.ts';
import type { ReportRun } from '../../src/run/report/input.ts';

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** A table row a task, then each alarm. */
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
    return row([task, own.length, [...steps].join(', '), [...evaluations].join(', '), alarmed.length]);
  });
  const shown = judged.flatMap(({ run, alarms }) =>
    alarms.map(
      ({ id, since, until }) =>
        `${run.name}: ${id} from step ${since} ${until === null ? 'to the end' : `to ${until}`}`,
    ),
  );
  return [
    row(['task', 'runs', 'steps', 'evaluations', 'with an alarm']),
    row(['---', '---', '---', '---', '---']),
    ...rows,
    ...(shown.length > 0 ? ['', ...shown] : []),
  ].join('\n');
}
