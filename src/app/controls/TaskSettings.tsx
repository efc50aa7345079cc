import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { findTask, MIXTURE } from '../../tasks/index.ts';
import type { Task } from '../../tasks/types.ts';
import { setLevel, setTaskValue } from '../actions.ts';
import { levelOf, wholeTaskConfig } from '../lib/settings.ts';
import { plural } from '../lib/format.ts';
import { useApp } from '../store.ts';
import { Fold } from '../ui/Fold.tsx';
import { MixtureEditor } from './MixtureEditor.tsx';
import { TaskFieldControl } from './TaskFieldControl.tsx';
import { useField } from './useField.ts';
import classes from './controls.module.css';

/** The task's levels as one dial. */
function Difficulty({ task, locked }: { task: Task; locked: boolean }): ReactNode {
  const level = useApp((state) => levelOf(state.form));
  if (task.levels.length < 2) return null;
  const levels = task.levels.map((_, i) => ({
    value: String(i),
    label: `Level ${i + 1} of ${task.levels.length}`,
  }));
  const own = { value: '-1', label: 'Set by hand' };
  return (
    <NativeSelect
      size="xs"
      label="Difficulty"
      data-testid="difficulty"
      disabled={locked}
      value={String(level)}
      data={level < 0 ? [own, ...levels] : levels}
      onChange={(event) => setLevel(Number(event.currentTarget.value))}
    />
  );
}

/** What the chosen task lets a person set: its difficulty at a glance, every field behind a fold. */
export function TaskSettings(): ReactNode {
  const form = useApp((state) => state.form);
  const { locked } = useField('taskConfig');
  if (form.task === MIXTURE) return <MixtureEditor />;
  const task = findTask(form.task);
  if (task === null || Object.keys(task.fields).length === 0) return null;
  const config = wholeTaskConfig(form);
  const changed = Object.keys(form.taskConfig).length;
  return (
    <div className={classes.section} data-testid="task-settings">
      <Difficulty task={task} locked={locked} />
      <Fold title="Task settings" note={changed > 0 ? plural(changed, 'change') : 'ranges, reward'}>
        <div className={classes.group}>
          {Object.entries(task.fields).map(([key, field]) => (
            <TaskFieldControl
              key={`${task.name}.${key}`}
              field={field}
              value={config[key] ?? field.default}
              locked={locked}
              onChange={(value) => setTaskValue(key, value)}
            />
          ))}
        </div>
      </Fold>
    </div>
  );
}
