import { NativeSelect } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { taskConfigErrors } from '../../tasks/define.ts';
import { findTask, MIXTURE } from '../../tasks/index.ts';
import { useApp } from '../store.ts';
import { RewardCalculator } from './RewardCalculator.tsx';
import classes from './calculator.module.css';

/** The calculator for the task that the form has chosen, or for one of a mixture's. */
export function CalculatorPanel(): ReactNode {
  const form = useApp((state) => state.form);
  // Custom tasks are replaced when they are edited.
  const customTasks = useApp((state) => state.customTasks);
  const [chosen, setChosen] = useState<string | null>(null);
  const parts = form.task === MIXTURE ? form.mixture : null;
  const part = parts?.find(({ task }) => task === chosen) ?? parts?.[0];
  const name = part?.task ?? form.task;
  const given = part?.config ?? form.taskConfig;
  const task = customTasks.find((each) => each.name === name) ?? findTask(name);
  const config = useMemo(() => ({ ...task?.defaults, ...given }), [task, given]);
  if (parts?.length === 0)
    return <p className="quiet">The mixture has no task yet. Add one in the settings.</p>;
  if (task === null) return <p className="quiet">The task {name} is not on this page.</p>;
  const errors = taskConfigErrors(task, config);
  return (
    <div className={classes.calculator}>
      {parts !== null && (
        <NativeSelect
          label="Task of the mixture"
          value={name}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={parts.map((each) => ({ value: each.task, label: findTask(each.task)?.title ?? each.task }))}
        />
      )}
      {errors.length > 0 ? (
        <p className={classes.error}>{errors.join(' ')}</p>
      ) : (
        <RewardCalculator
          // A task whose rows are loaded later has problems then.
          key={`${name} ${task.dataset?.counts()?.train ?? 0}`}
          task={task}
          config={config}
          seed={form.seed}
          mode={form.scoring}
        />
      )}
    </div>
  );
}
