/** Takes the model that was trained elsewhere: what of it, and how its weights are stored. */
import { Modal, NativeSelect, Progress } from '@mantine/core';
import type { ReactNode } from 'react';
import { EXPORT_FORMATS, WEIGHT_TYPES, type ExportFormat, type WeightType } from '@rl-playground/run/export';
import { percent } from '../../ui/text/format.ts';
import { DownloadIcon } from '../../ui/parts/icons.tsx';
import { canStart } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Fold } from '../../ui/parts/Fold.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { useIsOpen, setOpen } from '../../ui/open/openStore.ts';
import { changeExport, useKept } from '../kept/keptStore.ts';
import { cancelExport, downloadExport, forgetPrepared } from './exportActions.ts';
import { HandoffForm, ReportForm } from './ReportForm.tsx';
import { PushConfirmation, PushForm } from './PushForm.tsx';
import classes from './export.module.css';

const FORMATS: Readonly<Record<ExportFormat, string>> = {
  merged: 'Merged model, for transformers and most others',
  peft: 'LoRA adapter alone, for PEFT',
  onnx: 'ONNX, for transformers.js',
  gguf: 'GGUF, for llama.cpp',
};

const TYPES: Readonly<Record<WeightType, string>> = {
  base: 'as the base model has them',
  F32: 'F32, nothing is rounded',
  F16: 'F16',
  BF16: 'BF16',
};

/** `idle`: whether nothing is being written. */
function Choices({ idle }: { idle: boolean }): ReactNode {
  const { format, type } = useKept((state) => state.export);
  return (
    <div className={classes.form}>
      <NativeSelect
        label="What"
        value={format}
        disabled={!idle}
        data-testid="export-format"
        data={EXPORT_FORMATS.map((value) => ({ value, label: FORMATS[value] }))}
        onChange={({ currentTarget: { value } }) => {
          const chosen = EXPORT_FORMATS.find((each) => each === value);
          if (chosen) changeExport({ format: chosen, problem: null });
        }}
      />
      <NativeSelect
        label="Weights"
        description="Base and adapter are added in f32, then rounded once"
        value={type}
        disabled={!idle}
        data-testid="export-type"
        data={WEIGHT_TYPES.map((value) => ({ value, label: TYPES[value] }))}
        onChange={({ currentTarget: { value } }) => {
          const chosen = WEIGHT_TYPES.find((each) => each === value);
          if (chosen) changeExport({ type: chosen, problem: null });
        }}
      />
    </div>
  );
}

/** How far it is, and the way out of it. */
function Working({ progress, text }: { progress: number; text: string }): ReactNode {
  return (
    <div className={classes.working} data-testid="export-progress">
      <Progress value={100 * progress} aria-label={text} />
      <div className={classes.actions}>
        <span role="status">{text}</span>
        <span>{percent(progress, 0)}</span>
        <ActionButton usable variant="default" data-testid="export-cancel" onClick={cancelExport}>
          Cancel
        </ActionButton>
      </div>
    </div>
  );
}

const STAGES = {
  looking: 'Asking the server',
  calculating: 'Calculating the files',
  hashing: 'Taking checksums',
  sending: 'Sending',
  committing: 'Waiting for the commit',
} as const;

function useWorkText(): string {
  const isPush = useKept((state) => state.export.work === 'push');
  const { stage, retrying } = useKept((state) => state.push);
  if (!isPush) return 'Writing';
  return retrying === null ? STAGES[stage] : `${STAGES[stage]}: ${retrying}, trying again`;
}

/** What to make of the model, and where it goes. */
function Ways({ usable }: { usable: boolean }): ReactNode {
  const idle = useKept((state) => state.export.progress === null);
  const open = useIsOpen('push');
  const { sent } = useKept((state) => state.push);
  return (
    <>
      <p className={classes.intro}>
        With its tokenizer as it came, and a model card that says what it was trained on.
      </p>
      <Choices idle={idle} />
      <div className={classes.actions}>
        <ActionButton
          leftSection={<DownloadIcon />}
          usable={usable}
          data-testid="export-download"
          onClick={() => void downloadExport()}
        >
          Download
        </ActionButton>
      </div>
      <Fold
        title="Send to the Hub"
        note="to a repository of yours, with your token"
        open={open}
        onOpen={(now) => setOpen('push', now)}
      >
        <PushForm usable={usable} />
      </Fold>
      <Fold title="Report" note="the HTML file of the Export menu, with a note of yours">
        <ReportForm />
      </Fold>
      <Fold title="Continue on a cluster" note="with TRL, verl or prime-rl">
        <HandoffForm usable={usable} />
      </Fold>
      {sent && (
        <p role="status" data-testid="push-sent">
          Sent:{' '}
          <a href={sent.url} target="_blank" rel="noreferrer">
            {sent.url}
          </a>
          {sent.commit === null ? '' : `, commit ${sent.commit.slice(0, 8)}`}
        </p>
      )}
    </>
  );
}

export function ExportDialog(): ReactNode {
  const { progress, problem } = useKept((state) => state.export);
  const prepared = useKept((state) => state.push.prepared);
  const text = useWorkText();
  const idle = progress === null;
  const usable = useRun((state) => canStart(state.snapshot)) && idle;
  return (
    <Modal
      opened
      onClose={() => {
        // What was listed holds the model's weights of then.
        if (idle) forgetPrepared();
        setOpen('export', false);
      }}
      title="Take the model elsewhere"
      closeButtonProps={{ 'aria-label': 'Close' }}
      size="lg"
      transitionProps={{ duration: 0 }}
    >
      <div data-testid="export-dialog">
        {prepared === null ? <Ways usable={usable} /> : <PushConfirmation prepared={prepared} idle={idle} />}
        {progress !== null && <Working progress={progress} text={text} />}
        {problem !== null && (
          <p role="alert" className={classes.problem} data-testid="export-problem">
            {problem}
          </p>
        )}
      </div>
    </Modal>
  );
}
