/** The settings of a warm-up that is switched on, with a button that runs it. */
import { SegmentedControl } from '@mantine/core';
import { useId, useMemo, type ReactNode } from 'react';
import { DEMONSTRATIONS } from '@rl-playground/run/settings';
import { setValue, fineTune } from '../../run/actions/actions.ts';
import { NumberSetting } from '../../run/controls/Setting.tsx';
import { useLock } from '../../run/form/useField.ts';
import { CompletionText } from '../../ui/parts/CompletionText.tsx';
import { PlayIcon, UploadIcon } from '../../ui/parts/icons.tsx';
import { canStart } from '../../run/state/phases.ts';
import { ActionButton, FileButton } from '../../ui/parts/buttons.tsx';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { lengthsOf, sampleOf } from './rowFacts.ts';
import { learnFromFile, removeSftRows, takeSftFile } from './sftRows.ts';
import controls from '../../run/controls/controls.module.css';
import boxes from '../../ui/style/boxes.module.css';

/** Models of this size forget what they know at the learning rates of small models. */
const LARGE_MODEL = 10_000_000;
const USUAL_FOR_LARGE = 1e-4;

const SOURCES = [
  { value: 'demonstrations', label: 'Demonstrations' },
  { value: 'file', label: 'A JSONL file' },
];

function What(): ReactNode {
  const file = useForm((state) => state.sftRows.file);
  const wanted = useForm((state) => state.form.warmStartData);
  const facts = useMemo(() => (file === null ? null : lengthsOf(file.rows)), [file]);
  const sample = file === null ? null : sampleOf(file.rows);
  if (file === null || sample === null) {
    return (
      <p className="quiet">
        Drop a JSONL file here, or choose one. Each line is a JSON object in one of the two formats of TRL:
        <br />
        <code>{'{"prompt": "…", "completion": "…"}'}</code>
        <br />
        <code>{'{"messages": [{"role": "user", "content": "…"}, …]}'}</code>
      </p>
    );
  }
  return (
    <>
      <p className="quiet" data-testid="warmup-rows">
        <b>{file.name}</b>: {facts}
        {file.name !== wanted && ` The settings name another file, ${wanted}.`}
      </p>
      <dl className={controls.example}>
        <dt>Question</dt>
        <dd className={controls.asked}>{sample.asked}</dd>
        <dt>To write</dt>
        <dd>
          <CompletionText text={sample.answer} />
        </dd>
      </dl>
    </>
  );
}

/** The file that the warm-up learns from, with buttons to replace or remove it. */
function RowsFile({ locked }: { locked: boolean }): ReactNode {
  const { file, reading } = useForm((state) => state.sftRows);
  return (
    <div className={boxes.card}>
      <What />
      <div className="row">
        <FileButton
          leftSection={<UploadIcon />}
          usable={!locked && reading === null}
          accept=".jsonl,.ndjson,.json,.txt"
          inputName="Rows for the warm-up"
          inputTestId="warmup-input"
          onFiles={([chosen]) => void takeSftFile(chosen)}
        >
          {reading !== null ? `Reading ${reading}…` : file === null ? 'Choose a file…' : 'Another file…'}
        </FileButton>
        {file !== null && (
          <ActionButton usable={!locked} onClick={() => void removeSftRows()}>
            Remove
          </ActionButton>
        )}
      </div>
    </div>
  );
}

/** The examples to learn from: worked answers of the task, or rows of a file. */
function Source({ locked }: { locked: boolean }): ReactNode {
  const labelId = useId();
  const data = useForm((state) => state.form.warmStartData);
  const fromFile = data !== DEMONSTRATIONS;
  return (
    <div>
      <span id={labelId} className={controls.label}>
        Given answers from
      </span>
      <SegmentedControl
        fullWidth
        my={4}
        aria-labelledby={labelId}
        data-setting="warmStartData"
        disabled={locked}
        value={fromFile ? 'file' : 'demonstrations'}
        onChange={(value) => (value === 'file' ? learnFromFile() : setValue('warmStartData', DEMONSTRATIONS))}
        data={SOURCES}
      />
      {fromFile ? (
        <RowsFile locked={locked} />
      ) : (
        <p className="quiet">
          The task writes worked answers to training problems, in the right format. They are imperfect on
          purpose, so that reinforcement learning has something left to improve.
        </p>
      )}
    </div>
  );
}

/** A button that trains to the end of the warm-up, and a sentence on the stage of the run. */
function RunButton(): ReactNode {
  const lock = useLock();
  const startable = useRun((state) => canStart(state.snapshot));
  const { losses, total } = useRun((state) => state.snapshot.sft);
  const data = useForm((state) => state.form.warmStartData);
  const present = useForm(({ sftRows: { file } }) => data === DEMONSTRATIONS || file?.name === data);
  const held = lock === 'held' && total > 0;
  const over = held && losses.length >= total;
  const midst = held && losses.length > 0 && !over;
  return (
    <>
      <ActionButton
        leftSection={<PlayIcon />}
        usable={startable && !over && (present || midst) && (lock !== 'held' || held)}
        data-testid="warmup-button"
        onClick={fineTune}
      >
        {midst ? 'Continue the warm-up only' : 'Run the warm-up only'}
      </ActionButton>
      <p className="quiet" role="status">
        {over
          ? 'The warm-up is finished. “Continue” begins reinforcement learning from it.'
          : present || midst
            ? 'Train does both: the warm-up, then reinforcement learning.'
            : 'The rows are not loaded. Choose the file first.'}
      </p>
    </>
  );
}

/** Advice for a large model with the learning rate of a small one. */
function RateAdvice({ locked }: { locked: boolean }): ReactNode {
  const parameters = useRun((state) => state.snapshot.parameterCount);
  const rate = useForm((state) => state.form.warmStartLearningRate);
  if (parameters === null || parameters < LARGE_MODEL || rate <= 5 * USUAL_FOR_LARGE) return null;
  return (
    <p className="quiet">
      A model of this size forgets what it knows at {rate}; 0.0001 is usual.{' '}
      <ActionButton
        size="compact-xs"
        usable={!locked}
        onClick={() => setValue('warmStartLearningRate', USUAL_FOR_LARGE)}
      >
        Use 0.0001
      </ActionButton>
    </p>
  );
}

export function SftSettings({ locked }: { readonly locked: boolean }): ReactNode {
  const klReference = useForm((state) => state.form.klReference);
  return (
    <div className="stack wide">
      <div className={controls.pair}>
        <NumberSetting name="warmStartSteps" help="tooltip" />
        <NumberSetting name="warmStartBatch" help="tooltip" />
      </div>
      <NumberSetting name="warmStartLearningRate" help="tooltip" />
      <RateAdvice locked={locked} />
      <Source locked={locked} />
      <RunButton />
      <p className="quiet">
        {klReference === 'base'
          ? 'Your settings measure KL against the base model, so a KL penalty also pulls back what the warm-up taught.'
          : 'Reinforcement learning starts from the warmed-up model and measures KL against it. A penalty against the model before the warm-up would undo it.'}
      </p>
    </div>
  );
}
