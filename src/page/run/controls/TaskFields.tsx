import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { sameValue } from '@rl-playground/run/settings';
import type { TaskConfig } from '@rl-playground/tasks/parts';
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

interface Props extends TaskFieldsProps {
  /** The settings that the task is recommended with, beside its defaults: they are no changes of the person's. */
  readonly usual?: TaskConfig;
}

/** The settings of a task: its difficulty in view, every field in a fold. */
export function TaskFields({ usual = {}, ...props }: Props): ReactNode {
  const keys = new Set([...Object.keys(props.changes), ...Object.keys(usual)]);
  const changed = [...keys].filter((key) => !sameValue(props.changes[key], usual[key])).length;
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
