/** A run as a page to keep or send: one HTML file without scripts. */
import { Textarea, NativeSelect } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { DownloadIcon } from '../../ui/parts/icons.tsx';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { useCharts } from '../../see/arms/chartsStore.ts';
import { downloadReportNow, reportArms } from './pageReport.ts';
import classes from './export.module.css';
import { HANDOFF_SYSTEMS, type HandoffSystem } from '@rl-playground/bridges/handoff/systems';
import { changeExport, useKept } from '../kept/keptStore.ts';
import { downloadHandoff } from './exportActions.ts';

export function ReportForm(): ReactNode {
  const [note, setNote] = useState('');
  const steps = useRun((state) => state.snapshot.metrics.length);
  useCharts((state) => state.arms);
  const arms = reportArms();
  const what =
    arms.length > 1
      ? `Of ${arms.map(({ name }) => name).join(', ')}, over each other, with their differences. Take runs out of it in the list of runs.`
      : steps > 0
        ? 'Of this run. Runs that are drawn beside it in the charts would come along.'
        : 'There is no run yet: train first.';
  return (
    <div className={classes.form}>
      <Textarea
        label="Note"
        description="What was tried and what you think of it; it stands in the report as you write it"
        autosize
        minRows={2}
        maxLength={2000}
        value={note}
        onChange={({ currentTarget: { value } }) => setNote(value)}
      />
      <div className={classes.actions}>
        <ActionButton
          leftSection={<DownloadIcon />}
          usable={arms.length > 0}
          data-testid="report-download"
          onClick={() => void downloadReportNow(note)}
        >
          Download report
        </ActionButton>
      </div>
      <p className="quiet">{what}</p>
    </div>
  );
}

const TRAINERS: Readonly<Record<HandoffSystem, string>> = {
  trl: 'TRL, with accelerate and vLLM',
  verl: 'verl, on Ray',
  'prime-rl': 'prime-rl',
};

/** The run as another trainer goes on with it. `usable`: whether it can be asked for now. */
export function HandoffForm({ usable }: { usable: boolean }): ReactNode {
  const trainer = useKept((state) => state.export.trainer);
  return (
    <div className={classes.form}>
      <NativeSelect
        label="Trainer"
        description="Model or adapter, the next problems, the reward in Python, settings and the command; not_carried.md says what becomes of every setting"
        value={trainer}
        disabled={!usable}
        data-testid="handoff-trainer"
        data={HANDOFF_SYSTEMS.map((value) => ({ value, label: TRAINERS[value] }))}
        onChange={({ currentTarget: { value } }) => {
          const chosen = HANDOFF_SYSTEMS.find((each) => each === value);
          if (chosen) changeExport({ trainer: chosen, problem: null });
        }}
      />
      <div className={classes.actions}>
        <ActionButton
          leftSection={<DownloadIcon />}
          usable={usable}
          data-testid="handoff-download"
          onClick={() => void downloadHandoff()}
        >
          Download the run
        </ActionButton>
      </div>
    </div>
  );
}
