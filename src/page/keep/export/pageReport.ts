/** The report of the current run, and that of the runs that are compared. */
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

/** A run, or several seeds, as a report has them. */
function comparedArm({ name, runs, records }: Arm): ReportArm | null {
  const [first, ...others] = records.map((record, i): ReportRun => {
    const words = wordsOf(runs[i] ?? null);
    return { ...record, name: words?.name ?? name, wallSeconds: null, note: words?.note ?? '' };
  });
  return first === undefined ? null : { name, runs: [first, ...others] };
}

/** The runs that are compared, the baseline first. */
function comparedArms(): readonly ReportArm[] {
  const { arms, pinned } = useCharts.getState();
  const inOrder = arms.toSorted((a, b) => Number(b.id === pinned) - Number(a.id === pinned));
  return inOrder.flatMap((arm) => comparedArm(arm) ?? []);
}

async function download(arms: readonly ReportArm[], filename: string): Promise<void> {
  const [first, ...others] = arms;
  if (first === undefined) return;
  try {
    const { reportHtml } = await import('@rl-playground/bridges/report');
    const { origin, pathname } = window.location;
    const text = reportHtml({ arms: [first, ...others], page: origin + pathname, date: new Date() });
    saveFile({ filename, blob: new Blob([text], { type: 'text/html' }) });
  } catch (error) {
    reportError('The report could not be written', error, 'The run is unchanged. Try again.');
  }
}

/** Downloads the report of the current run as one HTML file. A failure becomes a notice. */
export async function downloadReport(): Promise<void> {
  const own = ownRun();
  if (own !== null) await download([{ name: own.name, runs: [own] }], 'report.html');
}

/** The same for the runs that are compared. */
export const downloadComparison = (): Promise<void> => download(comparedArms(), 'comparison.html');
