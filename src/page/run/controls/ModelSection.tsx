import { Suspense, type ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { chosenFrom } from '../../../run/chosenFiles.ts';
import { loadFiles } from '../actions/actions.ts';
import { parameterCount } from '../../ui/text/format.ts';
import { DownloadIcon, UploadIcon } from '../../ui/parts/icons.tsx';
import { useKept } from '../../keep/kept/keptStore.ts';
import { showRuns } from '../../ui/open/showRuns.ts';
import { useApp } from '../state/store.ts';
import { canStart } from '../state/phases.ts';
import { ActionButton, FileButton } from '../../ui/parts/buttons.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import classes from './controls.module.css';

const ModelPicker = lazyPart(async () => (await import('../model/ModelPicker.tsx')).ModelPicker);
const ExportDialog = lazyPart(async () => (await import('../../keep/export/ExportDialog.tsx')).ExportDialog);
const ExportMenu = lazyPart(async () => (await import('../../keep/export/ExportMenu.tsx')).ExportMenu);

/** Another model: of the Hugging Face Hub, of a server, or one that this browser keeps. */
function PickerButton({ usable }: { readonly usable: boolean }): ReactNode {
  return (
    <ActionButton
      aria-label="Choose another model…"
      aria-haspopup="dialog"
      data-testid="model-picker-button"
      data-setting="model"
      title="Models of the Hugging Face Hub, by name, with what they need of this machine"
      usable={usable}
      onClick={() => useApp.setState({ modelPickerOpen: true })}
    >
      Choose…
    </ActionButton>
  );
}

/** Opens what is chosen in place of what is loaded. */
function LoadButton({ usable }: { readonly usable: boolean }): ReactNode {
  return (
    <FileButton
      leftSection={<UploadIcon />}
      aria-label="Load checkpoint or run…"
      title="A checkpoint, the zip of a run directory, or the files of a model or a LoRA adapter. Or drop them anywhere on the page, folders too; the command “Open a folder…” (Ctrl+K) asks for one"
      usable={usable}
      multiple
      accept=".zip,application/zip,.safetensors,.json,.jinja"
      inputName="Checkpoint or run directory"
      inputTestId="load-input"
      onFiles={(files) => loadFiles(chosenFrom(files))}
    >
      Load…
    </FileButton>
  );
}

/** Where the runs of this browser are listed. */
function KeptRuns(): ReactNode {
  const count = useKept((state) => state.runs.length);
  if (count === 0) return null;
  return (
    <div className={classes.row}>
      <span className={classes.label}>Kept in this browser</span>
      <ActionButton usable data-testid="kept-runs-button" onClick={showRuns}>
        {plural(count, 'run')}
      </ActionButton>
    </div>
  );
}

/** The model that learns, its size, and the ways in and out of the page for it. */
export function ModelSection(): ReactNode {
  const name = useApp((state) => state.snapshot.modelName);
  const parameters = useApp((state) => state.snapshot.parameterCount);
  const phase = useApp((state) => state.snapshot.phase);
  const wanted = useApp((state) => state.form.model);
  const replaceable = useApp((state) => state.snapshot.modelIsOurs);
  const usable = useApp((state) => canStart(state.snapshot));
  const picking = useApp((state) => state.modelPickerOpen);
  const exporting = useApp((state) => state.exportOpen);
  // Beside the settings stands what they would train, which may not be loaded yet.
  const awaited = replaceable && name !== null && wanted !== name;
  const size = parameters === null ? 'not loaded' : `${parameterCount(parameters)} parameters`;
  const note = awaited
    ? 'loaded when a run begins'
    : phase === 'loading' && parameters === null
      ? 'loading…'
      : size;
  return (
    <div className={classes.section} role="group" aria-label="Model">
      <div className={classes.row}>
        <span className={classes.label}>Model</span>
        <span className={classes.modelName}>
          {awaited ? wanted : (name ?? wanted)}
          <span className="quiet">{`, ${note}`}</span>
        </span>
      </div>
      <div className={classes.buttons}>
        <PickerButton usable={usable} />
        <LoadButton usable={usable} />
        <Suspense
          fallback={
            <ActionButton leftSection={<DownloadIcon />} usable={false}>
              Export
            </ActionButton>
          }
        >
          <ExportMenu usable={usable} />
        </Suspense>
      </div>
      <KeptRuns />
      <Suspense>
        {picking && <ModelPicker />}
        {exporting && <ExportDialog />}
      </Suspense>
    </div>
  );
}
