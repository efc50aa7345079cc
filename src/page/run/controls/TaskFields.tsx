import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { levelOf, withoutDefaults } from '../form/task.ts';
import { Fold } from '../../ui/parts/Fold.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import type { TaskFieldsProps } from './TaskFieldList.tsx';
import classes from './controls.module.css';

const TaskFieldList = lazyPart(async () => (await import('./TaskFieldList.tsx')).TaskFieldList);

/** A choice among the levels of the task. */
function Difficulty({ task, changes, locked, onChange }: TaskFieldsProps): ReactNode {
  const level = levelOf(task, changes);
  if (task.levels.length < 2) return null;
  const levels = task.levels.map((_, i) => ({
    value: String(i),
    label: `Level ${i + 1} of ${task.levels.length}`,
  }));
  const custom = { value: '-1', label: 'Set by hand' };
  return (
    <NativeSelect
      label="Difficulty"
      data-testid="difficulty"
      disabled={locked}
      value={String(level)}
      data={level < 0 ? [custom, ...levels] : levels}
      onChange={(event) =>
        onChange(withoutDefaults(task, task.levels[Number(event.currentTarget.value)] ?? {}))
      }
    />
  );
}

/** The settings of a task: its difficulty in view, every field in a fold. */
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
