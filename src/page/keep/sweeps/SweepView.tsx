/** The table of a sweep that `npx rl-playground sweep` made, whose runs can be drawn beside others. */
import { ScrollArea } from '@mantine/core';
import { Fragment, useCallback, useState, type ReactNode } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { plural } from '@rl-playground/base/text';
import { chosenFrom, type ChosenFile } from '@rl-playground/run/session';
import {
  readSweep,
  type Sweep,
  MEASURES,
  settingText,
  sweepTable,
  type MeasureName,
  type Summary,
  type SweepRow,
} from '@rl-playground/run/sweeps';
import { ComparePanel } from '../compare/ComparePanel.tsx';
import { UploadIcon } from '../../ui/parts/icons.tsx';
import { ActionButton, FileButton } from '../../ui/parts/buttons.tsx';
import { useLoaded } from '../../ui/draw/useLoaded.ts';
import { FullScreenDialog } from '../../ui/parts/FullScreenDialog.tsx';
import { Columns, Problem } from '../../ui/parts/words.tsx';
import { Panel } from '../../ui/parts/Panel.tsx';
import { chooseSweep, setOpen, useIsOpen, useOpen } from '../../ui/open/openStore.ts';
import { shareWithin, signed } from '../../ui/text/format.ts';
import { useCharts } from '../../see/arms/chartsStore.ts';
import { armOf, canDraw, toggleArm } from './sweepArms.ts';
import { sweepFileIn } from './sweepFile.ts';
import charts from '../../see/charts/charts.module.css';
import tables from '../../ui/style/table.module.css';

/** Reads the sweep among the chosen files; null without files. @throws Error naming the file that can't be read. */
async function sweepFrom(chosen: readonly ChosenFile[]): Promise<Sweep | null> {
  const [any] = chosen;
  if (any === undefined) return null;
  const { path, file } = sweepFileIn(chosen) ?? any;
  try {
    return readSweep(await file.text());
  } catch (error) {
    throw new Error(`${path} was not opened. ${messageOf(error)}`, { cause: error });
  }
}

const shareText = (of: Summary | null): string => (of === null ? '–' : shareWithin(of.mean, of.interval));

function Rise({ of }: { readonly of: Summary | null }): ReactNode {
  if (of === null) return '–';
  const { mean, interval } = of;
  const sure = interval !== null && (interval.low > 0 || interval.high < 0);
  const ends = interval && ` (${signed(100 * interval.low, 1)} to ${signed(100 * interval.high, 1)})`;
  const text = `${signed(100 * mean, 1)}${ends ?? ''}`;
  return sure ? <b>{text}</b> : text;
}

interface SweepTableProps {
  readonly sweep: Sweep;
  readonly onDraw: (row: SweepRow) => void;
}

/** Means over seeds, in percent, with their 95% intervals. Rises are in points, and bold if their interval leaves out 0. */
function SweepTable({ sweep, onDraw }: SweepTableProps): ReactNode {
  const chosen = useOpen((state) => state.sweepFiles);
  const arms = useCharts((state) => state.arms);
  const rows = sweepTable(sweep);
  const ks = new Set(rows.flatMap(({ k }) => k ?? []));
  const names: Readonly<Record<MeasureName, string>> = {
    greedy: 'greedy',
    sampled: 'sampled',
    passAtK: ks.size === 1 ? `pass@${[...ks][0]}` : 'pass@k',
  };
  return (
    <ScrollArea viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Table of the sweep' }}>
      <table className={tables.table} data-testid="sweep-table">
        <Columns
          names={[
            'task',
            ...sweep.axes,
            'seeds',
            ...MEASURES.flatMap((each) => [`${names[each]} before`, 'after', 'rise']),
            'with an alarm',
            'charts',
          ]}
        />
        <tbody>
          {rows.map((row) => {
            const drawn = arms.find(({ id }) => id === armOf(row));
            return (
              <tr key={armOf(row)}>
                <th scope="row">{row.task}</th>
                {sweep.axes.map((setting) => (
                  <td key={setting}>{settingText(row.settings[setting])}</td>
                ))}
                <td>{row.n === row.runs.length ? row.n : `${row.n} of ${row.runs.length}`}</td>
                {MEASURES.map((each) => (
                  <Fragment key={each}>
                    <td>{shareText(row[each].before)}</td>
                    <td>{shareText(row[each].after)}</td>
                    <td>
                      <Rise of={row[each].rise} />
                    </td>
                  </Fragment>
                ))}
                <td>{row.n === 0 ? '–' : `${row.alarmed} of ${row.n}`}</td>
                <td>
                  <ActionButton
                    size="compact-xs"
                    usable={canDraw(chosen, row)}
                    aria-pressed={drawn !== undefined}
                    title={
                      canDraw(chosen, row)
                        ? `Draws its ${plural(row.n, 'run')} beside the current run`
                        : 'The file alone has no curves; open the whole folder of the sweep'
                    }
                    onClick={() => onDraw(row)}
                  >
                    {drawn && <span className={charts.swatch} style={{ background: drawn.colour }} />}
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

function Outcome({ sweep }: { readonly sweep: Sweep }): ReactNode {
  const chosen = useOpen((state) => state.sweepFiles);
  const [problem, setProblem] = useState<string | null>(null);
  const done = sweep.runs.filter(({ record }) => record !== null).length;
  const failed = sweep.runs.filter(({ record, error }) => record === null && error !== null);
  const draw = (row: SweepRow): void => {
    setProblem(null);
    toggleArm(chosen, row).catch((error: unknown) => setProblem(messageOf(error)));
  };
  return (
    <>
      <Panel
        title="Right answers to held-out problems"
        aside={
          <span className="quiet">
            {done} of {plural(sweep.runs.length, 'run')} done
          </span>
        }
      >
        <SweepTable sweep={sweep} onDraw={draw} />
        <p className="quiet">
          Means over seeds, in percent, from three seeds on with the 95% interval (Student’s t). Gains are in
          points, bold if their interval excludes 0.
        </p>
        {failed.map(({ name, error }) => (
          <p key={name}>
            {name} failed: {error}
          </p>
        ))}
        <Problem text={problem} />
      </Panel>
      <ComparePanel />
    </>
  );
}

export function SweepView(): ReactNode {
  const opened = useIsOpen('sweep');
  const chosen = useOpen((state) => state.sweepFiles);
  const { value: sweep, problem } = useLoaded(useCallback(() => sweepFrom(chosen), [chosen]));
  const take = (files: readonly File[]): void => chooseSweep(chosenFrom(files));
  return (
    <FullScreenDialog
      title="A sweep of settings"
      opened={opened}
      onClose={() => setOpen('sweep', false)}
      closeLabel="Close the sweep"
    >
      <div className="page" data-testid="sweep">
        <p>
          Open the folder that <code>npx rl-playground sweep</code> has written, or its sweep.json alone,
          which has the table but no curves. Nothing is sent anywhere.
        </p>
        <div className="row">
          <FileButton
            folder
            leftSection={<UploadIcon />}
            accept=""
            inputName="Folder of a sweep"
            inputTestId="sweep-folder"
            onFiles={take}
          >
            Open a folder…
          </FileButton>
          <FileButton
            leftSection={<UploadIcon />}
            accept=".json"
            inputName="sweep.json"
            inputTestId="sweep-file"
            onFiles={take}
          >
            Open sweep.json…
          </FileButton>
        </div>
        <Problem text={problem} />
        {sweep !== null && problem === null && <Outcome sweep={sweep} />}
      </div>
    </FullScreenDialog>
  );
}
