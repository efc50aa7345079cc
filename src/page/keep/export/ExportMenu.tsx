/** The menu of everything that a run and its model can be saved as. */
import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { downloadCheckpoint, downloadRunDirectory } from '../kept/runFiles.ts';
import { DownloadIcon } from '../../ui/parts/icons.tsx';
import { copyPageLink } from '../share/links.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { setOpen } from '../../ui/open/openStore.ts';
import { downloadReportNow } from './pageReport.ts';
import classes from '../../run/controls/controls.module.css';

interface WayProps {
  readonly testId: string;
  readonly name: string;
  /** The contents of the file, and the programs that read it. */
  readonly what: string;
  readonly usable?: boolean;
  readonly onClick: () => void;
}

function Way({ testId, name, what, usable = true, onClick }: WayProps): ReactNode {
  return (
    <Menu.Item data-testid={testId} disabled={!usable} onClick={onClick}>
      {name}
      <span className={classes.what}>{what}</span>
    </Menu.Item>
  );
}

export function ExportMenu({ usable }: { readonly usable: boolean }): ReactNode {
  const baseApart = useRun((state) => state.snapshot.baseApart);
  const hasSteps = useRun((state) => state.snapshot.metrics.length > 0);
  const begun = useRun((state) => state.snapshot.config !== null);
  return (
    <Menu position="bottom-end" shadow="md" width={300} disabled={!usable}>
      <Menu.Target>
        <ActionButton leftSection={<DownloadIcon />} data-testid="export-menu" usable={usable}>
          Export
        </ActionButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Way
          testId="download-button"
          name="Checkpoint"
          what="Weights in Hugging Face layout, optimizer, settings and metrics. Opens here again."
          onClick={() => downloadCheckpoint({ full: false })}
        />
        {baseApart && (
          <Way
            testId="full-download-button"
            name="Checkpoint with its base model"
            what="The same with the model that the adapter belongs to."
            onClick={() => downloadCheckpoint({ full: true })}
          />
        )}
        <Way
          testId="run-directory-button"
          name="Run directory"
          what={
            begun
              ? 'Settings, metrics, answers, evaluations and checkpoints in one zip. Opens here again.'
              : 'There is one as soon as a run has begun.'
          }
          usable={begun}
          onClick={downloadRunDirectory}
        />
        <Way
          testId="report-button"
          name="Report"
          what={
            hasSteps
              ? 'Results, charts and answers as one HTML file, with the runs drawn beside this one.'
              : 'There is one as soon as a step is made.'
          }
          usable={hasSteps}
          onClick={() => void downloadReportNow()}
        />
        <Way
          testId="link-button"
          name="Copy link"
          what="The address of these settings and their seed, which makes the run again elsewhere."
          onClick={() => void copyPageLink()}
        />
        <Way
          testId="export-button"
          name="Model, adapter, ONNX or GGUF…"
          what="For transformers, PEFT, transformers.js and llama.cpp, for the Hub, or to continue on a cluster."
          onClick={() => setOpen('export')}
        />
      </Menu.Dropdown>
    </Menu>
  );
}
