/** The results of the evaluations before and after training, in a table. */
import type { ReactNode } from 'react';
import { wilson95, type Interval } from '@rl-playground/base/intervals';
import { gainsOf, gainText, verdictText, type Gain } from '@rl-playground/run/diagnosis';
import { accuraciesOf, wrongWorking, type Accuracies, type EvalResult } from '@rl-playground/run/loop';
import { count, shareWithin } from '../../ui/text/format.ts';
import { Columns } from '../../ui/parts/words.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { PassCurves } from './PassCurves.tsx';
import boxes from '../../ui/style/boxes.module.css';
import tables from '../../ui/style/table.module.css';

/** The conditions of the evaluation, in words. */
function conditions(n: number, { sampled }: Accuracies, k: number | undefined, checked: boolean): string {
  return [
    `${count(n)} held-out problems.`,
    ...(sampled ? [`Sampled: one answer each at temperature ${sampled.temperature}.`] : []),
    'Greedy: the most likely token at each place.',
    ...(k === undefined
      ? []
      : [`pass@${k}: ${k === 1 ? 'one try' : `a right answer among ${k} tries`} at temperature 1.`]),
    ...(checked
      ? ['Wrong working: the share of the right sampled answers that show a working less than half right.']
      : []),
    'In brackets: 95% intervals, by problem, where the true value probably lies.',
  ].join(' ');
}

/** A sentence on what reinforcement added since step 0, where a warm-up has ended. */
function Verdict({ after }: { after: EvalResult | undefined }): ReactNode {
  const start = useRun(({ snapshot }) => snapshot.evaluations.find(({ step }) => step === 0));
  const text = start && after && after.step > 0 ? verdictText(gainsOf(start, after)) : null;
  return (
    <p role="status" data-testid="verdict">
      <b>{text}</b>
    </p>
  );
}

/** The time of the later evaluation. Reinforcement begins at step 0, after the warm-up. */
function whenLater(step: number): string {
  if (step > 0) return `step ${step}`;
  return step === 0 ? 'after the warm-up' : 'in the warm-up';
}

interface Share {
  readonly share: number;
  readonly interval: Interval | null;
}

type Row = readonly [
  label: string,
  before: Share | null,
  after: Share | null | undefined,
  /** The difference by problem. Without it the plain difference is shown. */
  gain?: Gain | null | undefined,
];

function Measured({ of }: { readonly of: Share | null | undefined }): ReactNode {
  return <td className="number">{of ? shareWithin(of.share, of.interval) : '–'}</td>;
}

function ResultRow({ row: [label, before, after, gain] }: { readonly row: Row }): ReactNode {
  const found = gain ?? (before && after && { difference: after.share - before.share, interval: null });
  return (
    <tr data-testid={`result-${label}`}>
      <th scope="row">{label}</th>
      <Measured of={before} />
      <Measured of={after} />
      <td className="number">{found ? gainText(found) : '–'}</td>
    </tr>
  );
}

interface ResultsProps {
  readonly before: EvalResult;
  readonly after: EvalResult | undefined;
}

export function Results({ before, after }: ResultsProps): ReactNode {
  const then = accuraciesOf(before);
  const now = after && accuraciesOf(after);
  const gains = after && gainsOf(before, after);
  const format = ({ format: share, n }: EvalResult): Share => ({ share, interval: wilson95(share, n) });
  const working = [wrongWorking(before), after && wrongWorking(after)] as const;
  const k = then.passAtK?.k ?? now?.passAtK?.k;
  const rows: readonly Row[] = [
    ['Sampled', then.sampled, now?.sampled, gains?.sampled],
    ['Greedy', then.greedy, now?.greedy, gains?.greedy],
    [`pass@${k}`, then.passAtK, now?.passAtK, gains?.passAtK],
    ['Format', format(before), after && format(after)],
    ['Wrong working', ...working],
  ];
  return (
    <div className={`${boxes.cards} ${boxes.wide}`}>
      <div className="stack">
        <table className={tables.table}>
          <caption className="visually-hidden">Shares of held-out problems, before and after</caption>
          <Columns
            names={[
              'Measured',
              before.step <= 0 ? 'before' : `step ${before.step}`,
              after ? whenLater(after.step) : 'no later result yet',
              'change',
            ]}
          />
          <tbody>{rows.map((row) => (row[1] || row[2]) && <ResultRow key={row[0]} row={row} />)}</tbody>
        </table>
        <Verdict after={after} />
        <p className="quiet">{conditions(before.n, then, k, working.some(Boolean))}</p>
      </div>
      <PassCurves />
    </div>
  );
}
