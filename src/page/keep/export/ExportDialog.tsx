/** The dialog that exports the trained model: its format, its weights, and where it goes. */
import { Modal, Progress } from '@mantine/core';
import type { ReactNode } from 'react';
import { bytesText } from '@rl-playground/base/text';
import { exportBytes, typesOf, type ExportFormat, type WeightType } from '@rl-playground/run/export';
import type { HandoffSystem } from '@rl-playground/bridges/handoff/systems';
import { percent } from '../../ui/text/format.ts';
import { DownloadIcon } from '../../ui/parts/icons.tsx';
import { canStart } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Choice } from '../../ui/parts/Choice.tsx';
import { Problem } from '../../ui/parts/words.tsx';
import { Fold } from '../../ui/parts/Fold.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { setOpen } from '../../ui/open/openStore.ts';
import { changeExport, useKept } from '../kept/keptStore.ts';
import { cancelExport, downloadExport, downloadHandoff, forgetPrepared } from './exportActions.ts';
import { PushConfirmation, PushForm } from './PushForm.tsx';

const FORMATS: Readonly<Record<ExportFormat, string>> = {
  merged: 'Merged model, for transformers and most others',
  peft: 'LoRA adapter alone, for PEFT',
  onnx: 'ONNX, for transformers.js',
  gguf: 'GGUF, for llama.cpp',
};

const TYPES: Readonly<Record<WeightType, string>> = {
  base: 'same as the base model',
  F32: 'F32, no rounding',
  F16: 'F16',
  BF16: 'BF16',
  Q8_0: 'Q8_0, 8.5 bits a weight',
  Q6_K: 'Q6_K, 6.6 bits',
  Q4_1: 'Q4_1, 5 bits',
  Q4_K: 'Q4_K, 4.5 bits',
  Q4_0: 'Q4_0, 4.5 bits and the largest error',
};

const TRAINERS: Readonly<Record<HandoffSystem, string>> = {
  trl: 'TRL, with accelerate and vLLM',
  verl: 'verl, on Ray',
  'prime-rl': 'prime-rl',
};

/** The run in the form that another trainer continues. */
function HandoffForm({ usable }: { usable: boolean }): ReactNode {
  const trainer = useKept((state) => state.export.trainer);
  return (
    <div className="stack wide">
      <Choice
        label="Trainer"
        description="The file holds the model or adapter, the next problems, the reward in Python, the settings and the command. Its not_carried.md lists what happens to every setting."
        words={TRAINERS}
        value={trainer}
        disabled={!usable}
        data-testid="handoff-trainer"
        onChoose={(chosen) => changeExport({ trainer: chosen, problem: null })}
      />
      <div className="row">
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

/** The progress of an export, with a button that cancels it. */
function Working({ progress, text }: { progress: number; text: string }): ReactNode {
  return (
    <div className="stack" data-testid="export-progress">
      <Progress value={100 * progress} aria-label={text} />
      <div className="row">
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
  calculating: 'Preparing the files',
  hashing: 'Computing checksums',
  sending: 'Sending',
  committing: 'Waiting for the commit',
} as const;

function useWorkText(): string {
  const isPush = useKept((state) => state.export.work === 'push');
  const { stage, retrying } = useKept((state) => state.push);
  if (!isPush) return 'Writing';
  return retrying === null ? STAGES[stage] : `${STAGES[stage]}: ${retrying}, trying again`;
}

/** The bytes of an export in each type that the chosen format has; null where the run has none in that format. */
function useSizes(): (type: WeightType) => number | null {
  const format = useKept((state) => state.export.format);
  const parts = useRun(({ controller }) => controller?.start.parts ?? null);
  const run = useRun(({ snapshot }) => snapshot.config);
  return (type) => parts && exportBytes(parts.model, run, { format, type });
}

/** The types of a format in words, with their sizes. */
const typeWords = (
  format: ExportFormat,
  sizeOf: (type: WeightType) => number | null,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    typesOf(format).map((type) => {
      const size = sizeOf(type);
      return [type, size === null ? TYPES[type] : `${TYPES[type]}, ${bytesText(size)}`];
    }),
  );

function Ways({ usable }: { usable: boolean }): ReactNode {
  const { format, type, progress } = useKept((state) => state.export);
  const { sent } = useKept((state) => state.push);
  const sizeOf = useSizes();
  const size = sizeOf(type);
  return (
    <>
      <p className="quiet">
        The download includes the unchanged tokenizer and a model card that says how the model was trained.
      </p>
      <Choice
        label="What"
        words={FORMATS}
        value={format}
        disabled={progress !== null}
        data-testid="export-format"
        onChoose={(chosen) =>
          changeExport({
            format: chosen,
            type: typesOf(chosen).includes(type) ? type : 'base',
            problem: null,
          })
        }
      />
      <Choice
        label="Weights"
        description={format === 'peft' ? undefined : 'Computed in f32, then rounded once'}
        words={typeWords(format, sizeOf)}
        value={type as string}
        disabled={progress !== null}
        data-testid="export-type"
        onChoose={(chosen) =>
          changeExport({ type: typesOf(format).find((each) => each === chosen) ?? type, problem: null })
        }
      />
      <div className="row">
        <ActionButton
          leftSection={<DownloadIcon />}
          usable={usable}
          data-testid="export-download"
          onClick={() => void downloadExport()}
        >
          {size === null ? 'Download' : `Download, about ${bytesText(size)}`}
        </ActionButton>
      </div>
      <Fold title="Send to the Hub" note="to your own repository, with your token" part="push">
        <PushForm usable={usable} />
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
        // The list holds the weights of the moment when it was made.
        if (idle) forgetPrepared();
        setOpen('export', false);
      }}
      title="Take the model elsewhere"
      closeButtonProps={{ 'aria-label': 'Close' }}
      size="lg"
      transitionProps={{ duration: 0 }}
    >
      <div className="stack wide" data-testid="export-dialog">
        {prepared === null ? <Ways usable={usable} /> : <PushConfirmation prepared={prepared} idle={idle} />}
        {progress !== null && <Working progress={progress} text={text} />}
        <Problem text={problem} testId="export-problem" />
      </div>
    </Modal>
  );
}
