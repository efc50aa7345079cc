import { Suspense } from 'react';
import type { ReactNode } from 'react';
import type { RunConfig } from '../../config/schema.ts';
import { findTask, MIXTURE } from '../../tasks/index.ts';
import { setValue } from '../actions.ts';
import { useApp } from '../store.ts';
import { lazyPart } from '../ui/lazyPart.tsx';
import { TaskFields } from './TaskFields.tsx';
import { useField } from './useField.ts';
import classes from './controls.module.css';

const MixtureEditor = lazyPart(async () => (await import('./MixtureEditor.tsx')).MixtureEditor);

/** The chosen task's own settings, or the parts of a mixture. */
export function TaskSettings(): ReactNode {
  const form = useApp((state) => state.form);
  const { locked } = useField('taskConfig');
  if (form.task === MIXTURE)
    return (
      <Suspense>
        <MixtureEditor />
      </Suspense>
    );
  const task = findTask(form.task);
  if (task === null || Object.keys(task.fields).length === 0) return null;
  return (
    <div className={classes.section} data-testid="task-settings">
      <TaskFields
        task={task}
        changes={form.taskConfig}
        locked={locked}
        onChange={(changes) => setValue('taskConfig', changes as RunConfig['taskConfig'])}
      />
    </div>
  );
}
