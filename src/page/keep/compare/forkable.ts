/** Settings that a fork of a run can change. Settings that were decided when the run began are not among them. */
import {
  parseConfig,
  type ParsedConfig,
  FIELDS,
  textOfValue,
  valueFromText,
  type FieldDescription,
  hasMeaning,
  type FieldKey,
  type RunConfig,
} from '@rl-playground/run/settings';
import { fieldError, type TaskField, findTask, type Task, type TaskConfig } from '@rl-playground/tasks/parts';
import type { Locked } from '../../run/form/locks.ts';
import { taskText, taskValueFromText, withoutDefaults } from '../../run/form/task.ts';

const GROUPS: ReadonlySet<FieldDescription['group']> = new Set([
  'Loss',
  'Advantage',
  'KL',
  'Updates',
  'Sampling',
  'Optimizer',
]);

/** A value head begins with its run, and the KL reference is the model that the run began from. */
const DECIDED: ReadonlySet<FieldKey> = new Set(['baseline', 'klReference']);

/** Only fields that have an effect under the run's other settings. */
export function forkableFields(config: RunConfig): FieldDescription[] {
  return FIELDS.filter(
    ({ key, group, type }) =>
      (key === 'seed' || GROUPS.has(group)) &&
      type !== 'structure' &&
      !DECIDED.has(key) &&
      hasMeaning(config, key),
  );
}

/** One setting that a fork may change: the run's, or its task's. */
export interface ForkChoice {
  readonly id: string;
  readonly label: string;
  /** The present value, in text. */
  readonly text: string;
  /** The labels of the values; null: the value is typed. */
  readonly choices: Readonly<Record<string, string>> | null;
  /** The run's settings with the value that `text` gives, or the errors in it. */
  change(config: RunConfig, text: string): ParsedConfig;
}

const ON_OFF = { true: 'on', false: 'off' } as const;

function ofRun(config: RunConfig, field: FieldDescription): ForkChoice {
  const { key, label } = field;
  return {
    id: key,
    label,
    text: textOfValue(config[key]),
    choices:
      field.type === 'choice'
        ? Object.fromEntries(field.choices.map((choice) => [choice.value, choice.label]))
        : field.type === 'boolean'
          ? ON_OFF
          : null,
    change: (before, text) => parseConfig({ ...before, [key]: valueFromText(key, text) }),
  };
}

function ofTask(task: Task, config: TaskConfig, name: string, field: TaskField): ForkChoice {
  return {
    id: `task.${name}`,
    label: field.label,
    text: taskText(config[name]),
    choices: field.kind === 'choice' ? field.choices : field.kind === 'flag' ? ON_OFF : null,
    change: (before, text) => {
      const value = taskValueFromText(field, text);
      const error = fieldError(field, value);
      if (error !== null) return { ok: false, errors: [error] };
      return parseConfig({
        ...before,
        taskConfig: withoutDefaults(task, { ...before.taskConfig, [name]: value }),
      });
    },
  };
}

/** The settings of the run and of its task that a fork may change. The tasks of a mixture keep their settings. */
export function forkChoices(
  config: RunConfig,
  locked: Locked,
): readonly { readonly group: string; readonly items: readonly ForkChoice[] }[] {
  const task = locked.has('taskConfig') ? null : findTask(config.task);
  const whole = { ...task?.defaults, ...config.taskConfig };
  const groups = [
    {
      group: 'The run',
      items: forkableFields(config)
        .filter(({ key }) => !locked.has(key))
        .map((field) => ofRun(config, field)),
    },
    {
      group: `The task: ${task?.title ?? ''}`,
      items:
        task === null
          ? []
          : Object.entries(task.fields).map(([name, field]) => ofTask(task, whole, name, field)),
    },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

/** The run's settings with one of them changed, or the errors in the change. */
export function changedConfig(config: RunConfig, choice: ForkChoice, text: string): ParsedConfig {
  const trimmed = text.trim();
  if (trimmed === choice.text)
    return { ok: false, errors: [`It is ${trimmed} already. Choose another value, or continue the run.`] };
  return choice.change(config, trimmed);
}
