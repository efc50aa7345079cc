import { ScrollArea } from '@mantine/core';
import type { ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import type { ChosenFile } from '@rl-playground/run/session';
import { settingText, type Measure, type Summary, type SweepRow } from '@rl-playground/run/sweeps';
import { percent, signed } from '../../ui/text/format.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useCharts } from '../../see/arms/chartsStore.ts';
import { armOf, canDraw } from './sweepArms.ts';
import tables from '../../ui/style/table.module.css';
import classes from './sweeps.module.css';

function Share({ of }: { readonly of: Summary | null }): ReactNode {
  if (of === null) return '–';
  return `${percent(of.mean)}${of.interval === null ? '' : ` ± ${(100 * of.interval.half).toFixed(1)}`}`;
}

function Rise({ of }: { readonly of: Summary | null }): ReactNode {
  if (of === null) return '–';
  const { mean, interval } = of;
  const sure = interval !== null && (interval.low > 0 || interval.high < 0);
  const text = `${signed(100 * mean, 1)}${interval === null ? '' : ` ± ${(100 * interval.half).toFixed(1)}`}`;
  return sure ? <b>{text}</b> : text;
}

interface SweepTableProps {
  readonly rows: readonly SweepRow[];
  readonly settings: readonly string[];
  readonly measures: readonly { readonly name: string; readonly of: (row: SweepRow) => Measure }[];
  readonly chosen: readonly ChosenFile[];
  readonly onDraw: (row: SweepRow) => void;
}

/** Means over seeds with their 95 % intervals, in percent; rises, in points, are bold where the interval leaves out 0. */
export function SweepTable({ rows, settings, measures, chosen, onDraw }: SweepTableProps): ReactNode {
  const arms = useCharts((state) => state.arms);
  return (
    <ScrollArea viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Table of the sweep' }}>
      <table className={tables.table} data-testid="sweep-table">
        <thead>
          <tr>
            <th scope="col">task</th>
            {settings.map((setting) => (
              <th key={setting} scope="col">
                {setting}
              </th>
            ))}
            <th scope="col">seeds</th>
            {measures.map(({ name }) => [
              <th key={`${name} before`} scope="col">
                {name} before
              </th>,
              <th key={`${name} after`} scope="col">
                after
              </th>,
              <th key={`${name} rise`} scope="col">
                rise
              </th>,
            ])}
            <th scope="col">with an alarm</th>
            <th scope="col">charts</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const drawn = arms.find(({ id }) => id === armOf(row));
            return (
              <tr key={armOf(row)}>
                <th scope="row">{row.task}</th>
                {settings.map((setting) => (
                  <td key={setting}>{settingText(row.settings[setting])}</td>
                ))}
                <td>{row.n === row.runs.length ? row.n : `${row.n} of ${row.runs.length}`}</td>
                {measures.map(({ name, of }) => [
                  <td key={`${name} before`}>
                    <Share of={of(row).before} />
                  </td>,
                  <td key={`${name} after`}>
                    <Share of={of(row).after} />
                  </td>,
                  <td key={`${name} rise`}>
                    <Rise of={of(row).rise} />
                  </td>,
                ])}
                <td>{row.n === 0 ? '–' : `${row.alarmed} of ${row.n}`}</td>
                <td>
                  <ActionButton
                    size="compact-xs"
                    variant="default"
                    usable={canDraw(chosen, row)}
                    aria-pressed={drawn !== undefined}
                    title={
                      canDraw(chosen, row)
                        ? `Its ${plural(row.n, 'run')} beside the current one, and side by side with others`
                        : 'Open the whole folder of the sweep: the file alone has no curves'
                    }
                    onClick={() => onDraw(row)}
                  >
                    {drawn && <span className={classes.swatch} style={{ background: drawn.colour }} />}
                    {drawn ? 'Drawn' : 'Draw'}
                  </ActionButton>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollArea>
  );
}
