/** A task's own settings, each with the control that fits it. */
import { MultiSelect, Switch, TextInput, type TextInputProps } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import {
  fieldError,
  type TaskField,
  type Task,
  type TaskConfig,
  type TaskValue,
} from '@rl-playground/tasks/parts';
import { Choice } from '../../ui/parts/Choice.tsx';
import { taskText, taskValueFromText, withoutDefaults } from '../form/task.ts';

interface TaskFieldControlProps {
  readonly field: TaskField;
  readonly value: TaskValue;
  readonly locked: boolean;
  readonly onChange: (value: TaskValue) => void;
}

interface TypedProps extends TextInputProps {
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

function TaskFieldControl({ field, value, locked, onChange }: TaskFieldControlProps): ReactNode {
  const shared = {
    label: field.label,
    description: field.kind === 'weights' ? `${field.help} In order: ${field.names.join(', ')}.` : field.help,
    disabled: locked,
    error: fieldError(field, value),
  };
  switch (field.kind) {
    case 'number':
    case 'weights':
      return (
        <Typed
          {...shared}
          text={taskText(value)}
          onText={(text) => onChange(taskValueFromText(field, text))}
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
      return <Choice {...shared} value={String(value)} words={field.choices} onChoose={onChange} />;
    case 'subset':
      return (
        <MultiSelect
          {...shared}
          value={Array.isArray(value) ? value.map(String) : []}
          data={Object.entries(field.choices).map(([name, label]) => ({ value: name, label }))}
          onChange={onChange}
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
    <div className="stack wide">
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
