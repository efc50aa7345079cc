/** A run as a page to keep or send: one HTML file without scripts. */
import { Textarea } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { DownloadIcon } from '../../ui/parts/icons.tsx';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { useCharts } from '../../see/arms/chartsStore.ts';
import { downloadReportNow, reportArms } from './pageReport.ts';
import classes from './export.module.css';

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
