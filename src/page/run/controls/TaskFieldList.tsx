/** A task's own settings, each with the control that fits it. */
import { MultiSelect, NativeSelect, Switch, TextInput, type TextInputProps } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import {
  fieldError,
  type TaskField,
  type Task,
  type TaskConfig,
  type TaskValue,
} from '@rl-playground/tasks/parts';
import { taskText, taskValueFromText, withoutDefaults } from '../form/task.ts';
import classes from './controls.module.css';

interface TaskFieldControlProps {
  readonly field: TaskField;
  readonly value: TaskValue;
  readonly locked: boolean;
  readonly onChange: (value: TaskValue) => void;
}

interface TypedProps extends Pick<TextInputProps, 'label' | 'description' | 'disabled' | 'error'> {
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** A field for a typed value. An invalid text stays in the box with its error. */
function Typed({ text, onText, ...shared }: TypedProps): ReactNode {
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <TextInput
      {...shared}
      inputMode="decimal"
      value={draft ?? text}
      onBlur={() => setDraft(null)}
      onChange={(event) => {
        setDraft(event.currentTarget.value);
        onText(event.currentTarget.value);
      }}
    />
  );
}

const optionsOf = (choices: Readonly<Record<string, string>>): { value: string; label: string }[] =>
  Object.entries(choices).map(([value, label]) => ({ value, label }));

function TaskFieldControl({ field, value, locked, onChange }: TaskFieldControlProps): ReactNode {
  const shared = {
    label: field.label,
    description: field.help,
    disabled: locked,
    error: fieldError(field, value),
  };
  const typed = (text: string): void => onChange(taskValueFromText(field, text));
  switch (field.kind) {
    case 'number':
      return <Typed {...shared} text={taskText(value)} onText={typed} />;
    case 'weights':
      return (
        <Typed
          {...shared}
          description={`${field.help} In order: ${field.names.join(', ')}.`}
          text={taskText(value)}
          onText={typed}
        />
      );
    case 'flag':
      return (
        <Switch
          {...shared}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <NativeSelect
          {...shared}
          value={String(value)}
          data={optionsOf(field.choices)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'subset':
      return (
        <MultiSelect
          {...shared}
          value={Array.isArray(value) ? value.map(String) : []}
          data={optionsOf(field.choices)}
          onChange={(chosen) => onChange(chosen)}
        />
      );
  }
}

export interface TaskFieldsProps {
  readonly task: Task;
  /** The settings that differ from the task's defaults. */
  readonly changes: TaskConfig;
  readonly locked: boolean;
  readonly onChange: (changes: TaskConfig) => void;
}

export function TaskFieldList({ task, changes, locked, onChange }: TaskFieldsProps): ReactNode {
  const config = { ...task.defaults, ...changes };
  return (
    <div className={classes.group}>
      {Object.entries(task.fields).map(([key, field]) => (
        <TaskFieldControl
          key={`${task.name}.${key}`}
          field={field}
          value={config[key] ?? field.default}
          locked={locked}
          onChange={(value) => onChange(withoutDefaults(task, { ...changes, [key]: value }))}
        />
      ))}
    </div>
  );
}
