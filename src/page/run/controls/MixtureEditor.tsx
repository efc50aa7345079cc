import { ActionIcon, Button, NativeSelect, NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MixturePart } from '@rl-playground/run/settings';
import { findTask, TASKS, type Task } from '@rl-playground/tasks/parts';
import { setValue } from '../actions/actions.ts';
import { percent } from '../../ui/text/format.ts';
import { taskMenu } from '../form/task.ts';
import { LinkButton } from '../../ui/parts/buttons.tsx';
import { useField } from '../form/useField.ts';
import { setOpen } from '../../ui/open/openStore.ts';
import { useForm } from '../form/formStore.ts';
import { useRun } from '../state/runStore.ts';
import { TaskFields } from './TaskFields.tsx';
import boxes from '../../ui/style/boxes.module.css';
import classes from './controls.module.css';

interface PartProps {
  readonly part: MixturePart;
  readonly share: number;
  readonly locked: boolean;
  readonly onChange: (part: MixturePart | null) => void;
}

function firstConfig({ starter }: Task): MixturePart['config'] {
  return (starter?.config ?? {}) as MixturePart['config'];
}

/** A note where a bundled model was not made for the task and has no words for it. */
function Unread({ task: { family, starter } }: { task: Task }): ReactNode {
  const model = useForm((state) => state.form.model);
  const ours = useRun((state) => state.snapshot.modelIsOurs);
  if (!ours || family === 'own' || starter?.model === model) return null;
  return (
    <p className="quiet" role="status">
      The model {model} was not made for this task and can’t read all of it.{' '}
      <LinkButton onClick={() => setOpen('models')}>Choose a larger model…</LinkButton>
    </p>
  );
}

function Part({ part, share, locked, onChange }: PartProps): ReactNode {
  const task = findTask(part.task);
  const customTasks = useForm((state) => state.customTasks);
  const loaded = useRun(({ snapshot }) => !snapshot.modelIsOurs);
  const singles = taskMenu(customTasks, loaded).slice(0, -1);
  return (
    <fieldset className={boxes.group}>
      <legend>
        {part.task}, {percent(share, 0)} of the problems
      </legend>
      <NativeSelect
        label="Task"
        disabled={locked}
        value={part.task}
        data={singles}
        onChange={(event) => {
          const chosen = findTask(event.currentTarget.value);
          if (chosen) onChange({ ...part, task: chosen.name, config: firstConfig(chosen) });
        }}
      />
      <div className="row apart">
        <NumberInput
          label="Weight"
          disabled={locked}
          min={0.01}
          value={part.weight}
          onChange={(weight) => {
            if (typeof weight === 'number' && weight > 0) onChange({ ...part, weight });
          }}
        />
        <ActionIcon
          variant="subtle"
          disabled={locked}
          aria-label={`Remove ${part.task} from the mixture`}
          onClick={() => onChange(null)}
        >
          ×
        </ActionIcon>
      </div>
      {task !== null && <Unread task={task} />}
      {task !== null && (
        <TaskFields
          task={task}
          changes={part.config}
          locked={locked}
          onChange={(config) => onChange({ ...part, config: config as MixturePart['config'] })}
        />
      )}
    </fieldset>
  );
}

/** The tasks of a mixture with their weights and settings. `of` names the setting that holds them. */
export function MixtureEditor({ of = 'mixture' }: { of?: 'mixture' | 'evalMixture' }): ReactNode {
  const mixture = useForm((state) => state.form[of]);
  const { locked, error } = useField(of);
  const sum = mixture.reduce((total, { weight }) => total + weight, 0);
  const unused = TASKS.find(({ name }) => mixture.every(({ task }) => task !== name));
  const change = (index: number, part: MixturePart | null): void =>
    setValue(
      of,
      mixture.flatMap((each, i) => (i !== index ? [each] : part === null ? [] : [part])),
    );
  return (
    <div className={classes.section} data-testid={of} data-setting={of}>
      {mixture.map((part, index) => (
        <Part
          key={index}
          part={part}
          share={part.weight / sum}
          locked={locked}
          onChange={(changed) => change(index, changed)}
        />
      ))}
      {error !== undefined && <p className="quiet">{error}</p>}
      <Button
        disabled={locked || unused === undefined}
        onClick={() => {
          if (!unused) return;
          setValue(of, [...mixture, { task: unused.name, weight: 1, config: firstConfig(unused) }]);
        }}
      >
        Add a task
      </Button>
    </div>
  );
}
