/** Takes the model that was trained elsewhere: what of it, and how its weights are stored. */
import { Modal, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import {
  EXPORT_FORMATS,
  WEIGHT_TYPES,
  type ExportFormat,
  type WeightType,
} from '../../run/export/exportTypes.ts';
import { percent } from '../format/format.ts';
import { DownloadIcon } from '../icons.tsx';
import { useApp } from '../store.ts';
import { canStart } from '../transport/phases.ts';
import { ActionButton } from '../ui/buttons.tsx';
import { cancelExport, downloadExport, useExport } from './exportStore.ts';
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
  const { format, type } = useExport();
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
          if (chosen) useExport.setState({ format: chosen, problem: null });
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
          if (chosen) useExport.setState({ type: chosen, problem: null });
        }}
      />
    </div>
  );
}

export function ExportDialog(): ReactNode {
  const { progress, problem } = useExport();
  const startable = useApp((state) => canStart(state.snapshot));
  return (
    <Modal
      opened
      onClose={() => useApp.setState({ exportOpen: false })}
      title="Take the model elsewhere"
      closeButtonProps={{ 'aria-label': 'Close' }}
      size="lg"
      transitionProps={{ duration: 0 }}
    >
      <div data-testid="export-dialog">
        <p className={classes.intro}>
          With its tokenizer as it came, and a model card that says what it was trained on.
        </p>
        <Choices idle={progress === null} />
        <div className={classes.actions}>
          <ActionButton
            leftSection={<DownloadIcon />}
            usable={startable && progress === null}
            data-testid="export-download"
            onClick={() => void downloadExport()}
          >
            {progress === null ? 'Download' : percent(progress, 0)}
          </ActionButton>
          {progress !== null && (
            <ActionButton usable variant="default" data-testid="export-cancel" onClick={cancelExport}>
              Cancel
            </ActionButton>
          )}
        </div>
        {problem !== null && (
          <p role="alert" data-testid="export-problem">
            {problem}
          </p>
        )}
      </div>
    </Modal>
  );
}
