/** A sweep's table as Markdown. */
import {
  settingText,
  sweepTable,
  type Measure,
  type Summary,
  type SweepRow,
  type Sweep,
} from '@rl-playground/run/sweeps';

function share(summary: Summary | null): string {
  if (summary === null) return '–';
  const { mean, interval } = summary;
  const ends = interval && ` (${interval.low.toFixed(3)} to ${interval.high.toFixed(3)})`;
  return `${mean.toFixed(3)}${ends ?? ''}`;
}

const rise = (summary: Summary | null): string =>
  summary === null ? '–' : `${summary.mean < 0 ? '' : '+'}${share(summary)}`;

const cells = ({ before, after, rise: risen }: Measure): string[] => [
  share(before),
  share(after),
  rise(risen),
];

function row(axes: readonly string[], { task, settings, runs, n, alarmed, ...measures }: SweepRow): string {
  const all = [
    task,
    ...axes.map((axis) => settingText(settings[axis])),
    n === runs.length ? n : `${n} of ${runs.length}`,
    ...cells(measures.greedy),
    ...cells(measures.sampled),
    ...cells(measures.passAtK),
    n === 0 ? '–' : `${alarmed} of ${n}`,
  ];
  return `| ${all.join(' | ')} |`;
}

/** Shares of right answers to held-out problems: means over seeds, with the 95 % interval where there are three or more. */
export function sweepMarkdown(sweep: Sweep): string {
  const rows = sweepTable(sweep);
  const ks = new Set(rows.flatMap(({ k }) => k ?? []));
  const pass = ks.size === 1 ? `pass@${[...ks][0]}` : 'pass@k';
  const heads = [
    'task',
    ...sweep.axes,
    'seeds',
    ...['greedy', 'sampled', pass].flatMap((name) => [`${name} before`, 'after', 'rise']),
    'with an alarm',
  ];
  return [
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...rows.map((each) => row(sweep.axes, each)),
  ].join('\n');
}
