/** The report of what the page shows: the current run, and where others are drawn beside it, all of them. */
import type { ReportArm, ReportInput, ReportRun } from '@rl-playground/bridges/report/input';
import { nameOf } from '../kept/labels.ts';
import { saveFile } from '../../ui/files/saveDownload.ts';
import { useRun } from '../../run/state/runStore.ts';
import { useCharts, type Arm } from '../../see/arms/chartsStore.ts';
import { reportError } from '../../ui/open/openStore.ts';
import { useKept } from '../kept/keptStore.ts';

/** The current run; null where none has begun. */
function ownRun(): ReportRun | null {
  const { config, metrics, evaluations, wallSeconds, run } = useRun.getState().snapshot;
  if (config === null || metrics.length === 0) return null;
  const { labels } = useKept.getState();
  return {
    name: run === null ? config.task : nameOf(run, labels),
    config,
    metrics,
    evaluations,
    wallSeconds,
    note: run === null ? '' : (labels[run]?.note ?? ''),
  };
}

/** A run that is drawn beside the current one, or several seeds. */
function comparedArm({ name, runs, records }: Arm): ReportArm | null {
  const { labels } = useKept.getState();
  const [first, ...others] = records.map((record, i): ReportRun => {
    const id = runs[i];
    return {
      ...record,
      name: id === undefined ? name : nameOf(id, labels),
      wallSeconds: null,
      note: (id !== undefined && labels[id]?.note) || '',
    };
  });
  return first === undefined ? null : { name, runs: [first, ...others] };
}

/** What a report would be of, the baseline first; empty where there is no run. */
export function reportArms(): readonly ReportArm[] {
  const { arms, pinned } = useCharts.getState();
  const { run } = useRun.getState().snapshot;
  const own = ownRun();
  const isDrawn = run !== null && arms.some(({ runs }) => runs.includes(run));
  const inOrder = arms.toSorted((a, b) => Number(b.id === pinned) - Number(a.id === pinned));
  const compared = inOrder.flatMap((arm) => comparedArm(arm) ?? []);
  return [...compared, ...(own !== null && !isDrawn ? [{ name: own.name, runs: [own] as const }] : [])];
}

/** Hands it to the browser's downloads. `note`: what is said of its first run besides. Rejects where the page's parts for it can't be fetched. */
async function downloadReport(note: string): Promise<void> {
  const { reportHtml } = await import('@rl-playground/bridges/report');
  const [first, ...others] = reportArms();
  if (first === undefined) return;
  const [run, ...seeds] = first.runs;
  const noted = [note.trim(), run.note].filter((text) => text !== '').join('\n');
  const arms: ReportInput['arms'] = [{ ...first, runs: [{ ...run, note: noted }, ...seeds] }, ...others];
  const { origin, pathname } = window.location;
  const text = reportHtml({ arms, page: origin + pathname, date: new Date() });
  saveFile({
    filename: others.length > 0 ? 'comparison.html' : 'report.html',
    blob: new Blob([text], { type: 'text/html' }),
  });
}

/** The same, whose failure becomes a notice. */
export function downloadReportNow(note = ''): Promise<void> {
  return downloadReport(note).catch((error: unknown) =>
    reportError('The report could not be written', error, 'The run is as it was. Try again.'),
  );
}
