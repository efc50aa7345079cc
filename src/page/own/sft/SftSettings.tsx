/** How long the warm-up is, on what, and the button that trains as far as its end: shown where it is switched on. */
import { SegmentedControl } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { DEMONSTRATIONS } from '@rl-playground/run/settings';
import { setValue, fineTune } from '../../run/actions/actions.ts';
import { NumberSetting } from '../../run/controls/Setting.tsx';
import { useLock } from '../../run/form/useField.ts';
import { PlayIcon } from '../../ui/parts/icons.tsx';
import { canStart } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { RowsFile } from './RowsFile.tsx';
import { learnFromFile } from './sftRows.ts';
import controls from '../../run/controls/controls.module.css';
import classes from './sft.module.css';

/** From this size on, a learning rate as small models need it ruins a model that has learned before. */
const LARGE_MODEL = 10_000_000;
const USUAL_FOR_LARGE = 1e-4;

const SOURCES = [
  { value: 'demonstrations', label: 'Demonstrations' },
  { value: 'file', label: 'A JSONL file' },
];

/** What is learned: the task's own worked answers, or rows of a file. */
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
        <p className={controls.summary}>
          Worked answers to training problems of the task, in the asked form and imperfect on purpose:
          something is left for reinforcement to learn.
        </p>
      )}
    </div>
  );
}

/** Trains as far as the border of the two stages, and says where the run stands between them. */
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
        {midst ? 'Go on with the warm-up only' : 'Run the warm-up only'}
      </ActionButton>
      <p className={controls.summary} role="status">
        {over
          ? 'The warm-up is finished. “Continue” begins reinforcement learning from it.'
          : present || midst
            ? 'Train does both: the warm-up, then reinforcement.'
            : 'Its rows are not loaded. Choose the file first.'}
      </p>
    </>
  );
}

/** Shown where the learning rate is one for small models, and the model is not. */
function RateAdvice({ locked }: { locked: boolean }): ReactNode {
  const parameters = useRun((state) => state.snapshot.parameterCount);
  const rate = useForm((state) => state.form.warmStartLearningRate);
  if (parameters === null || parameters < LARGE_MODEL || rate <= 5 * USUAL_FOR_LARGE) return null;
  return (
    <p className={controls.summary}>
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
    <div className={classes.body}>
      <div className={controls.pair}>
        <NumberSetting name="warmStartSteps" help="tooltip" />
        <NumberSetting name="warmStartLearningRate" help="tooltip" />
        <NumberSetting name="warmStartBatch" help="tooltip" />
      </div>
      <RateAdvice locked={locked} />
      <Source locked={locked} />
      <RunButton />
      <p className={controls.summary}>
        {klReference === 'base'
          ? 'Your settings measure KL against the base model, so a KL penalty also pulls back what the warm-up taught.'
          : 'Reinforcement starts from the warmed-up model and measures KL against it: against the model of before, a penalty would undo the warm-up.'}
      </p>
    </div>
  );
}
