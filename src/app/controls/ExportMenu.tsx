/** All ways out of the page for a run and its model; loaded when the page is at rest. */
import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { downloadCheckpoint, downloadOnnx, downloadRunDirectory } from '../actions.ts';
import { percent } from '../format/format.ts';
import { DownloadIcon } from '../icons.tsx';
import { useApp } from '../store.ts';
import { ActionButton } from '../ui/buttons.tsx';
import classes from './controls.module.css';

interface WayProps {
  readonly testId: string;
  readonly name: string;
  /** What comes of it, and who reads that. */
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

/** Pressed while nothing is at work. */
export function ExportMenu({ usable }: { readonly usable: boolean }): ReactNode {
  const baseApart = useApp((state) => state.snapshot.baseApart);
  const begun = useApp((state) => state.snapshot.config !== null);
  const onnx = useApp((state) => state.onnxProgress);
  return (
    <Menu position="bottom-end" shadow="md" width={300} disabled={!usable}>
      <Menu.Target>
        <ActionButton leftSection={<DownloadIcon />} data-testid="export-menu" usable={usable}>
          {onnx === null ? 'Export' : `ONNX ${percent(onnx, 0)}`}
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
          testId="export-button"
          name="Merged model or adapter…"
          what="For transformers and PEFT, for the Hub, or to go on on a cluster."
          onClick={() => useApp.setState({ exportOpen: true })}
        />
        <Way
          testId="onnx-button"
          name="ONNX"
          what="For transformers.js on any page, with configs and tokenizer."
          usable={onnx === null}
          onClick={downloadOnnx}
        />
      </Menu.Dropdown>
    </Menu>
  );
}
