/** Buttons that load and export a run and its model. */
import { Suspense, type ReactNode } from 'react';
import { chosenFrom } from '@rl-playground/run/session';
import { canStart } from '../../run/state/phases.ts';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { ActionButton, FileButton } from '../../ui/parts/buttons.tsx';
import { DownloadIcon, UploadIcon } from '../../ui/parts/icons.tsx';
import { loadFiles } from '../kept/runFiles.ts';
import { useRun } from '../../run/state/runStore.ts';
import { useIsOpen } from '../../ui/open/openStore.ts';

const ExportDialog = lazyPart(async () => (await import('./ExportDialog.tsx')).ExportDialog);
const ExportMenu = lazyPart(async () => (await import('./ExportMenu.tsx')).ExportMenu);

export function ModelFiles(): ReactNode {
  const usable = useRun((state) => canStart(state.snapshot));
  const exporting = useIsOpen('export');
  return (
    <>
      <FileButton
        leftSection={<UploadIcon />}
        aria-label="Load checkpoint or run…"
        title="A checkpoint, the zip of a run directory, a GGUF file, or the files of a model or a LoRA adapter. You can also drop files and folders anywhere on the page, or use the command “Open a folder…” (Ctrl+K)"
        usable={usable}
        multiple
        accept=".zip,application/zip,.gguf,.safetensors,.json,.jinja"
        inputName="Checkpoint or run directory"
        inputTestId="load-input"
        onFiles={(files) => loadFiles(chosenFrom(files))}
      >
        Load…
      </FileButton>
      <Suspense
        fallback={
          <ActionButton leftSection={<DownloadIcon />} usable={false}>
            Export
          </ActionButton>
        }
      >
        <ExportMenu usable={usable} />
      </Suspense>
      <Suspense>{exporting && <ExportDialog />}</Suspense>
    </>
  );
}
