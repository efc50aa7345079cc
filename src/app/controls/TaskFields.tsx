import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Task, TaskConfig } from '../../tasks/types.ts';
import { plural } from '../../base/text.ts';
import { levelOf, withoutDefaults } from '../form/taskSettings.ts';
import { Fold } from '../ui/Fold.tsx';
import { lazyPart } from '../ui/lazyPart.tsx';
import classes from './controls.module.css';

const TaskFieldList = lazyPart(async () => (await import('./TaskFieldList.tsx')).TaskFieldList);

export interface TaskFieldsProps {
  readonly task: Task;
  /** What differs from the task's defaults. */
  readonly changes: TaskConfig;
  readonly locked: boolean;
  readonly onChange: (changes: TaskConfig) => void;
}

/** The task's levels as one dial. */
function Difficulty({ task, changes, locked, onChange }: TaskFieldsProps): ReactNode {
  const level = levelOf(task, changes);
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
      onChange={(event) =>
        onChange(withoutDefaults(task, task.levels[Number(event.currentTarget.value)] ?? {}))
      }
    />
  );
}

/** What a task lets a person set: its difficulty at a glance, every field behind a fold. */
export function TaskFields(props: TaskFieldsProps): ReactNode {
  const changed = Object.keys(props.changes).length;
  return (
    <>
      <Difficulty {...props} />
      <div className={classes.inset}>
        <Fold title="Task settings" note={changed > 0 ? plural(changed, 'change') : 'ranges, reward'}>
          <TaskFieldList {...props} />
        </Fold>
      </div>
    </>
  );
}
