import type { ReactNode } from 'react';
import { withoutDefaults } from '../form/taskSettings.ts';
import { TaskFieldControl } from './TaskFieldControl.tsx';
import type { TaskFieldsProps } from './TaskFields.tsx';
import classes from './controls.module.css';

/** Every field of a task. */
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
