import { ActionIcon, Button, JsonInput, NativeSelect, NumberInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { MixturePart } from '../../config/taskFields.ts';
import { TASKS } from '../../tasks/index.ts';
import { setValue } from '../actions.ts';
import { percent } from '../lib/format.ts';
import { taskMenu } from '../lib/taskMenu.ts';
import { useApp } from '../store.ts';
import { useField } from './useField.ts';
import classes from './controls.module.css';

interface PartProps {
  readonly part: MixturePart;
  readonly share: number;
  readonly locked: boolean;
  readonly onChange: (part: MixturePart | null) => void;
}

/** A task's settings as JSON; what is no JSON object yet stays in the box and does not count. */
function PartSettings({ part, locked, onChange }: PartProps): ReactNode {
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <JsonInput
      size="xs"
      label={`Settings of ${part.task}`}
      description="Names and values as in the task's own form."
      autosize
      minRows={1}
      disabled={locked}
      validationError='This is no JSON object; write it as {"name": value}.'
      value={draft ?? JSON.stringify(part.config)}
      onBlur={() => setDraft(null)}
      onChange={(text) => {
        setDraft(text);
        try {
          onChange({ ...part, config: JSON.parse(text) as MixturePart['config'] });
        } catch {
          // Half-typed JSON: the box shows its error and the last whole value counts.
        }
      }}
    />
  );
}

function Part(props: PartProps): ReactNode {
  const { part, share, locked, onChange } = props;
  const singles = taskMenu(TASKS).slice(0, -1);
  return (
    <fieldset className={classes.group}>
      <legend>
        {part.task}, {percent(share, 0)} of the problems
      </legend>
      <NativeSelect
        size="xs"
        label="Task"
        disabled={locked}
        value={part.task}
        data={singles.map(({ group, items }) => ({ group, items: [...items] }))}
        onChange={(event) => {
          const task = TASKS.find(({ name }) => name === event.currentTarget.value);
          if (task)
            onChange({
              ...part,
              task: task.name,
              config: (task.starter?.config ?? {}) as MixturePart['config'],
            });
        }}
      />
      <div className={classes.row}>
        <NumberInput
          size="xs"
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
      <PartSettings {...props} />
    </fieldset>
  );
}

/** The tasks of a mixture, their weights and settings. */
export function MixtureEditor(): ReactNode {
  const mixture = useApp((state) => state.form.mixture);
  const { locked, error } = useField('mixture');
  const sum = mixture.reduce((total, { weight }) => total + weight, 0);
  const unused = TASKS.find(({ name }) => mixture.every(({ task }) => task !== name));
  const change = (index: number, part: MixturePart | null): void =>
    setValue(
      'mixture',
      mixture.flatMap((each, i) => (i !== index ? [each] : part === null ? [] : [part])),
    );
  return (
    <div className={classes.section} data-testid="mixture">
      {mixture.map((part, index) => (
        <Part
          key={part.task}
          part={part}
          share={part.weight / sum}
          locked={locked}
          onChange={(changed) => change(index, changed)}
        />
      ))}
      {error !== undefined && <p className={classes.summary}>{error}</p>}
      <Button
        size="xs"
        variant="default"
        disabled={locked || unused === undefined}
        onClick={() => {
          if (!unused) return;
          const config = (unused.starter?.config ?? {}) as MixturePart['config'];
          setValue('mixture', [...mixture, { task: unused.name, weight: 1, config }]);
        }}
      >
        Add a task
      </Button>
    </div>
  );
}
