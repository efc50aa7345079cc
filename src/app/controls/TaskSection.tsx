import { NativeSelect } from '@mantine/core';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { taskConfigErrors } from '../../tasks/define.ts';
import { findTask, MIXTURE, TASKS } from '../../tasks/index.ts';
import type { Task, TaskConfig } from '../../tasks/types.ts';
import { setTask } from '../actions.ts';
import { DatasetSection } from '../dataset/DatasetSection.tsx';
import { useDataset } from '../dataset/datasetStore.ts';
import { messageOf } from '../../base/errors.ts';
import { wholeTaskConfig } from '../form/settings.ts';
import { expectation, smallSpace, taskMenu } from '../form/taskMenu.ts';
import { CompletionText } from '../rollouts/CompletionText.tsx';
import { useApp } from '../store.ts';
import { useField } from './useField.ts';
import classes from './controls.module.css';

/** One problem of a task with its answer, or why there is none under these settings. */
function Example({ task, config, seed }: { task: Task; config: TaskConfig; seed: number }): ReactNode {
  const example = useMemo(() => {
    if (taskConfigErrors(task, config).length > 0) return null;
    try {
      const problem = task.generate(Number.isInteger(seed) ? seed : 0, 'train', 0, config);
      return { problem, goodForm: task.workedAnswer(problem), space: smallSpace(task, config), error: null };
    } catch (error) {
      return { problem: null, goodForm: '', space: null, error: messageOf(error) };
    }
  }, [task, config, seed]);
  if (example === null) return null;
  const { problem, goodForm, space, error } = example;
  if (problem === null) return <p className={classes.summary}>{error}</p>;
  return (
    <>
      {space !== null && <p className={classes.summary}>{space}</p>}
      <dl className={classes.example}>
        <dt>Asked</dt>
        <dd className={classes.asked}>{problem.question}</dd>
        <dt>True answer</dt>
        <dd className={classes.asked}>{problem.answer}</dd>
        <dt>Good form</dt>
        <dd>
          <CompletionText text={goodForm} />
        </dd>
      </dl>
    </>
  );
}

/** The task, what it asks, what to expect of it, and one problem with its answer. */
export function TaskSection(): ReactNode {
  const form = useApp((state) => state.form);
  const customTasks = useApp((state) => state.customTasks);
  const { locked } = useField('task');
  const provided = useDataset((state) => state.provided);
  const task = findTask(form.task);
  const config = useMemo(() => wholeTaskConfig(form), [form]);
  return (
    <div className={classes.section}>
      <NativeSelect
        label="Task"
        data-testid="task-select"
        value={form.task}
        disabled={locked}
        onChange={(event) => setTask(event.currentTarget.value)}
        data={taskMenu([...TASKS, ...customTasks]).map(({ group, items }) => ({ group, items: [...items] }))}
      />
      {task !== null && (
        <>
          <p className={classes.summary}>
            {task.summary} <span className="quiet">From: {task.source}.</span>
          </p>
          <p className={classes.summary} data-testid="task-expectation">
            {expectation(task)}
          </p>
          {task.dataset !== undefined && <DatasetSection dataset={task.dataset} locked={locked} />}
          <Example key={provided} task={task} config={config} seed={form.seed} />
        </>
      )}
      {form.task === MIXTURE && (
        <p className={classes.summary}>
          Problems come from several tasks, each with a weight and settings of its own.
        </p>
      )}
    </div>
  );
}
