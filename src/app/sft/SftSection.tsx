import { SegmentedControl, Switch } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { DEMONSTRATIONS } from '../../config/settings/sft.ts';
import { setValue, fineTune } from '../actions.ts';
import controls from '../controls/controls.module.css';
import { NumberSetting } from '../controls/Setting.tsx';
import { useLock } from '../controls/useField.ts';
import { PlayIcon } from '../icons.tsx';
import { percent } from '../format/format.ts';
import { SFT_DROP_ZONE } from '../transport/DropOverlay.tsx';
import { canStart } from '../transport/phases.ts';
import { usualValue } from '../form/settings.ts';
import { useApp } from '../store.ts';
import { ActionButton } from '../ui/buttons.tsx';
import { RowsFile } from './RowsFile.tsx';
import { FIRST_UPDATES, learnFromFile, useSftRows } from './sftRows.ts';
import classes from './sft.module.css';

/** From this size on, a learning rate as small models need it ruins a model that has learned before. */
const LARGE_MODEL = 10_000_000;
const USUAL_FOR_LARGE = 1e-4;

/** Share of answers in the asked form below which a model finds too little that is paid. */
const LOW_FORMAT = 0.05;

const SOURCES = [
  { value: 'demonstrations', label: 'Demonstrations' },
  { value: 'file', label: 'A JSONL file' },
];

/** What is learned: the task's own worked answers, or rows of a file. */
function Source({ locked }: { locked: boolean }): ReactNode {
  const labelId = useId();
  const data = useApp((state) => state.form.warmStartData);
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
  const startable = useApp((state) => canStart(state.snapshot));
  const { losses, total } = useApp((state) => state.snapshot.sft);
  const data = useApp((state) => state.form.warmStartData);
  const present = useSftRows(({ file }) => data === DEMONSTRATIONS || file?.name === data);
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
          ? 'The warm-up is made. Continue begins reinforcement from it.'
          : present || midst
            ? 'Train does both: the warm-up, then reinforcement.'
            : 'Choose the file first: its rows are not here.'}
      </p>
    </>
  );
}

/** Shown where the learning rate is one for small models, and the model is not. */
function RateAdvice({ locked }: { locked: boolean }): ReactNode {
  const parameters = useApp((state) => state.snapshot.parameterCount);
  const rate = useApp((state) => state.form.warmStartLearningRate);
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

/** Says so where the latest look at the model found hardly an answer in the asked form. */
function Need(): ReactNode {
  const format = useApp(
    ({ snapshot: { metrics, evaluations } }) => metrics.at(-1)?.format ?? evaluations.at(-1)?.format ?? null,
  );
  if (format === null || format >= LOW_FORMAT) return null;
  return (
    <p className={controls.summary} role="status">
      <strong>{percent(format)} of the latest answers were in the asked form:</strong> a warm-up would help
      this model. Press Reset and switch it on.
    </p>
  );
}

/** Why the last file was not taken; stands there whatever the warm-up learns from now. */
function Problem(): ReactNode {
  const problem = useSftRows((state) => state.problem);
  if (problem === null) return null;
  return (
    <p className={classes.problem} role="alert">
      {problem}
    </p>
  );
}

/** Supervised fine-tuning as a stage before reinforcement: whether, how long, on what. */
export function SftSection(): ReactNode {
  const titleId = useId();
  const form = useApp((state) => state.form);
  const locked = useLock() !== 'none';
  const on = form.warmStartSteps > 0;
  const usual = usualValue(form, 'warmStartSteps');
  const first = typeof usual === 'number' && usual > 0 ? usual : FIRST_UPDATES;
  return (
    <div
      className={controls.section}
      role="group"
      aria-labelledby={titleId}
      data-testid="warmup"
      {...{ [SFT_DROP_ZONE]: true }}
    >
      <div className={classes.head}>
        <span id={titleId} className={classes.title}>
          Supervised warm-up
        </span>
        <Switch
          aria-labelledby={titleId}
          checked={on}
          disabled={locked}
          onChange={(event) => setValue('warmStartSteps', event.currentTarget.checked ? first : 0)}
        />
      </div>
      <p className={controls.summary}>
        Needed where hardly any answer is in the asked form before training: none is paid then, and there is
        nothing to reinforce. The model first learns to write given answers (SFT).
      </p>
      {!on && <Need />}
      <Problem />
      {on && (
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
            {form.klReference === 'base'
              ? 'Your settings measure KL against the base model, so a KL penalty also pulls back what the warm-up taught.'
              : 'Reinforcement starts from the warmed-up model and measures KL against it: against the model of before, a penalty would undo the warm-up.'}
          </p>
        </div>
      )}
    </div>
  );
}
