import { Suspense, type ReactNode } from 'react';
import { downloadCheckpoint, downloadOnnx, downloadRunDirectory, loadFiles } from '../actions.ts';
import { plural } from '../../base/text.ts';
import { parameterCount, percent } from '../format/format.ts';
import { DownloadIcon, UploadIcon } from '../icons.tsx';
import { useKept } from '../kept/keptStore.ts';
import { showRuns } from '../kept/showRuns.ts';
import { useApp } from '../store.ts';
import { canStart } from '../transport/phases.ts';
import { ActionButton, FileButton } from '../ui/buttons.tsx';
import { lazyPart } from '../ui/lazyPart.tsx';
import classes from './controls.module.css';

const ModelPicker = lazyPart(async () => (await import('../model/ModelPicker.tsx')).ModelPicker);
const ExportDialog = lazyPart(async () => (await import('../export/ExportDialog.tsx')).ExportDialog);

interface RowProps {
  readonly label: string;
  /** Whether its buttons are announced together, under the label. */
  readonly grouped?: boolean;
  readonly children: ReactNode;
}

function ButtonRow({ label, grouped = false, children }: RowProps): ReactNode {
  return (
    <div className={classes.row} {...(grouped ? { role: 'group', 'aria-label': label } : {})}>
      <span className={classes.label}>{label}</span>
      <span className={classes.buttons}>{children}</span>
    </div>
  );
}

/** Other models: of the Hugging Face Hub, of a server, and those that this browser keeps. */
function PickerButton({ startable }: { startable: boolean }): ReactNode {
  const open = useApp((state) => state.modelPickerOpen);
  return (
    <ButtonRow label="Another model">
      <ActionButton
        data-testid="model-picker-button"
        title="Models of the Hugging Face Hub, by name, with what they need of this machine"
        usable={startable}
        onClick={() => useApp.setState({ modelPickerOpen: true })}
      >
        Choose…
      </ActionButton>
      <Suspense>{open && <ModelPicker />}</Suspense>
    </ButtonRow>
  );
}

interface LoadButtonProps {
  readonly label: string;
  readonly title: string;
  readonly startable: boolean;
  readonly accept: string;
  readonly inputName: string;
  readonly inputTestId: string;
  readonly children: ReactNode;
}

/** Opens what is chosen in place of what is loaded. */
function LoadButton({ label, startable, ...rest }: LoadButtonProps): ReactNode {
  return (
    <FileButton
      leftSection={<UploadIcon />}
      aria-label={label}
      usable={startable}
      multiple
      onFiles={(files) => loadFiles(files.map((file) => ({ path: file.name, file })))}
      {...rest}
    />
  );
}

/** The run out of the page and into it again. */
function CheckpointButtons({ startable }: { startable: boolean }): ReactNode {
  const baseApart = useApp((state) => state.snapshot.baseApart);
  return (
    <ButtonRow label="Checkpoint" grouped>
      <ActionButton
        leftSection={<DownloadIcon />}
        data-testid="download-button"
        aria-label="Download checkpoint"
        title="A zip in Hugging Face layout, with optimizer state, settings and metrics"
        usable={startable}
        onClick={() => downloadCheckpoint({ full: false })}
      >
        Download
      </ActionButton>
      {baseApart && (
        <ActionButton
          leftSection={<DownloadIcon />}
          data-testid="full-download-button"
          aria-label="Download checkpoint with its base model"
          title="The same with the model that the adapter belongs to, so that opening it needs nothing else"
          usable={startable}
          onClick={() => downloadCheckpoint({ full: true })}
        >
          With base
        </ActionButton>
      )}
      <LoadButton
        label="Load checkpoint…"
        title="Choose a checkpoint, or the files of a model or a LoRA adapter, or drop them anywhere on the page"
        startable={startable}
        accept=".zip,application/zip,.safetensors,.json,.jinja"
        inputName="Checkpoint file"
        inputTestId="load-input"
      >
        Load…
      </LoadButton>
    </ButtonRow>
  );
}

/** Where the runs of this browser are listed. */
function KeptRunsButton(): ReactNode {
  const count = useKept((state) => state.runs.length);
  if (count === 0) return null;
  return (
    <ButtonRow label="Kept in this browser">
      <ActionButton usable data-testid="kept-runs-button" onClick={showRuns}>
        {plural(count, 'run')}
      </ActionButton>
    </ButtonRow>
  );
}

/** Everything that the run has written so far, as one file. */
function RunDirectoryButton({ startable }: { startable: boolean }): ReactNode {
  const begun = useApp((state) => state.snapshot.config !== null);
  return (
    <ButtonRow label="Run directory" grouped>
      <ActionButton
        leftSection={<DownloadIcon />}
        data-testid="run-directory-button"
        aria-label="Download run directory"
        title={
          begun
            ? 'A zip with config.json, metrics.jsonl, rollouts.jsonl, evaluations, checkpoints and train_results.json'
            : 'There is one as soon as a run has begun'
        }
        usable={startable && begun}
        onClick={downloadRunDirectory}
      >
        All files
      </ActionButton>
      <LoadButton
        label="Open run directory…"
        title="Choose the zip of a run directory, or drop its folder anywhere on the page: the run comes back with its answers and checkpoints"
        startable={startable}
        inputTestId="run-directory-input"
        inputName="Run directory"
        accept=".zip,application/zip"
      >
        Open…
      </LoadButton>
    </ButtonRow>
  );
}

/** The model out of the page for other programs. */
function ExportButton({ startable }: { startable: boolean }): ReactNode {
  const open = useApp((state) => state.exportOpen);
  return (
    <ButtonRow label="For other programs">
      <ActionButton
        data-testid="export-button"
        title="The merged model, or its LoRA adapter alone, as transformers and PEFT load them"
        usable={startable}
        onClick={() => useApp.setState({ exportOpen: true })}
      >
        Merged model…
      </ActionButton>
      <Suspense>{open && <ExportDialog />}</Suspense>
    </ButtonRow>
  );
}

/** The model out of the page for other pages. */
function OnnxButton({ startable }: { startable: boolean }): ReactNode {
  const progress = useApp((state) => state.onnxProgress);
  return (
    <ButtonRow label="For transformers.js">
      <ActionButton
        leftSection={<DownloadIcon />}
        data-testid="onnx-button"
        aria-label="Download ONNX (transformers.js)"
        title="A zip that transformers.js runs on any page: the model as ONNX, its configs and tokenizer"
        usable={startable && progress === null}
        onClick={downloadOnnx}
      >
        {progress === null ? 'ONNX' : percent(progress, 0)}
      </ActionButton>
    </ButtonRow>
  );
}

/** The model that learns, its size, and the ways in and out of the page for it. */
export function ModelSection(): ReactNode {
  const name = useApp((state) => state.snapshot.modelName);
  const parameters = useApp((state) => state.snapshot.parameterCount);
  const phase = useApp((state) => state.snapshot.phase);
  const wanted = useApp((state) => state.form.model);
  const replaceable = useApp((state) => state.snapshot.modelIsOurs);
  const startable = useApp((state) => canStart(state.snapshot));
  // Beside the settings stands what they would train, which may not be loaded yet.
  const awaited = replaceable && name !== null && wanted !== name;
  const size = parameters === null ? 'not loaded' : `${parameterCount(parameters)} parameters`;
  const note = awaited
    ? 'comes when a run begins'
    : phase === 'loading' && parameters === null
      ? 'loading…'
      : size;
  return (
    <div className={classes.section}>
      <div className={classes.row}>
        <span className={classes.label}>Model</span>
        <span>
          {awaited ? wanted : (name ?? wanted)}
          <span className="quiet">{`, ${note}`}</span>
        </span>
      </div>
      <PickerButton startable={startable} />
      <CheckpointButtons startable={startable} />
      <KeptRunsButton />
      <RunDirectoryButton startable={startable} />
      <ExportButton startable={startable} />
      <OnnxButton startable={startable} />
    </div>
  );
}
