/** A sweep that `npx rl-playground sweep` made: its table, and its runs to be drawn beside others. */
import { Alert } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { plural } from '@rl-playground/base/text';
import { chosenFrom, type ChosenFile } from '@rl-playground/run/session';
import {
  readSweep,
  type Sweep,
  MEASURES,
  sweepTable,
  type MeasureName,
  type SweepRow,
} from '@rl-playground/run/sweeps';
import { ComparePanel } from '../compare/ComparePanel.tsx';
import { UploadIcon } from '../../ui/parts/icons.tsx';
import { FileButton } from '../../ui/parts/buttons.tsx';
import { FullScreenDialog } from '../../ui/parts/FullScreenDialog.tsx';
import { Panel } from '../../ui/parts/Panel.tsx';
import { chooseSweep, setOpen, useIsOpen, useOpen } from '../../ui/open/openStore.ts';
import { toggleArm } from './sweepArms.ts';
import { sweepFileIn } from './sweepFile.ts';
import { SweepTable } from './SweepTable.tsx';
import classes from './sweeps.module.css';

interface Opened {
  readonly sweep: Sweep | null;
  readonly problem: string | null;
}

async function openedFrom(chosen: readonly ChosenFile[]): Promise<Opened> {
  const [any] = chosen;
  if (any === undefined) return { sweep: null, problem: null };
  const { path, file } = sweepFileIn(chosen) ?? any;
  try {
    return { sweep: readSweep(await file.text()), problem: null };
  } catch (error) {
    return { sweep: null, problem: `${path} was not opened. ${messageOf(error)}` };
  }
}

/** What the chosen files hold. */
function useOpened(): Opened {
  const chosen = useOpen((state) => state.sweepFiles);
  const [opened, setOpened] = useState<Opened>({ sweep: null, problem: null });
  useEffect(() => {
    let gone = false;
    const read = async (): Promise<void> => {
      const found = await openedFrom(chosen);
      if (!gone) setOpened(found);
    };
    void read();
    return () => {
      gone = true;
    };
  }, [chosen]);
  return opened;
}

function Outcome({ sweep }: { readonly sweep: Sweep }): ReactNode {
  const chosen = useOpen((state) => state.sweepFiles);
  const [problem, setProblem] = useState<string | null>(null);
  const rows = sweepTable(sweep);
  const ks = new Set(rows.flatMap(({ k }) => k ?? []));
  const names: Readonly<Record<MeasureName, string>> = {
    greedy: 'greedy',
    sampled: 'sampled',
    passAtK: ks.size === 1 ? `pass@${[...ks][0]}` : 'pass@k',
  };
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
        <SweepTable
          rows={rows}
          settings={sweep.axes}
          measures={MEASURES.map((each) => ({ name: names[each], of: (row) => row[each] }))}
          chosen={chosen}
          onDraw={draw}
        />
        <p className="quiet">
          Means over seeds, in percent, ± half of the 95% interval (Student’s t). Rises are in points, bold
          where their interval leaves out 0.
        </p>
        {failed.map(({ name, error }) => (
          <p key={name}>
            {name} failed: {error}
          </p>
        ))}
        {problem !== null && <Alert color="red">{problem}</Alert>}
      </Panel>
      <ComparePanel />
    </>
  );
}

/** The whole-screen dialog. */
export function SweepView(): ReactNode {
  const opened = useIsOpen('sweep');
  const { sweep, problem } = useOpened();
  const take = (files: readonly File[]): void => chooseSweep(chosenFrom(files));
  return (
    <FullScreenDialog
      title="A sweep of settings"
      opened={opened}
      onClose={() => setOpen('sweep', false)}
      closeLabel="Close the sweep"
    >
      <div className={`page ${classes.view}`} data-testid="sweep">
        <p className={classes.intro}>
          What <code>npx rl-playground sweep</code> has written: open its folder, or its sweep.json alone,
          which has the table and no curves. Nothing is sent anywhere.
        </p>
        <div className="row">
          <FileButton
            usable
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
            usable
            variant="default"
            leftSection={<UploadIcon />}
            accept=".json"
            inputName="sweep.json"
            inputTestId="sweep-file"
            onFiles={take}
          >
            Open sweep.json…
          </FileButton>
        </div>
        {problem !== null && (
          <Alert color="red" role="alert">
            {problem}
          </Alert>
        )}
        {sweep !== null && <Outcome sweep={sweep} />}
      </div>
    </FullScreenDialog>
  );
}
