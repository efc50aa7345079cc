/** The report of the current run and of all runs that are drawn beside it. */
import type { ReportArm, ReportRun } from '@rl-playground/bridges/report/input';
import { wordsOf } from '../kept/labels.ts';
import { saveFile } from '../../ui/files/saveDownload.ts';
import { useRun } from '../../run/state/runStore.ts';
import { useCharts, type Arm } from '../../see/arms/chartsStore.ts';
import { reportError } from '../../ui/open/openStore.ts';

/** The current run; null before its first step. */
function ownRun(): ReportRun | null {
  const { config, metrics, evaluations, wallSeconds, run } = useRun.getState().snapshot;
  if (config === null || metrics.length === 0) return null;
  const { name = config.task, note = '' } = wordsOf(run) ?? {};
  return { name, config, metrics, evaluations, wallSeconds, note };
}

/** A run, or several seeds, drawn beside the current run. */
function comparedArm({ name, runs, records }: Arm): ReportArm | null {
  const [first, ...others] = records.map((record, i): ReportRun => {
    const words = wordsOf(runs[i] ?? null);
    return { ...record, name: words?.name ?? name, wallSeconds: null, note: words?.note ?? '' };
  });
  return first === undefined ? null : { name, runs: [first, ...others] };
}

/** The arms of the report, the baseline first. */
export function reportArms(): readonly ReportArm[] {
  const { arms, pinned } = useCharts.getState();
  const { run } = useRun.getState().snapshot;
  const own = ownRun();
  const isDrawn = run !== null && arms.some(({ runs }) => runs.includes(run));
  const inOrder = arms.toSorted((a, b) => Number(b.id === pinned) - Number(a.id === pinned));
  const compared = inOrder.flatMap((arm) => comparedArm(arm) ?? []);
  return [...compared, ...(own !== null && !isDrawn ? [{ name: own.name, runs: [own] as const }] : [])];
}

async function downloadReport(): Promise<void> {
  const { reportHtml } = await import('@rl-playground/bridges/report');
  const [first, ...others] = reportArms();
  if (first === undefined) return;
  const { origin, pathname } = window.location;
  const text = reportHtml({ arms: [first, ...others], page: origin + pathname, date: new Date() });
  saveFile({
    filename: others.length > 0 ? 'comparison.html' : 'report.html',
    blob: new Blob([text], { type: 'text/html' }),
  });
}

/** Downloads the report as one HTML file. A failure becomes a notice. */
export function downloadReportNow(): Promise<void> {
  return downloadReport().catch((error: unknown) =>
    reportError('The report could not be written', error, 'The run is unchanged. Try again.'),
  );
}
