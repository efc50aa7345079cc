import { NativeSelect } from '@mantine/core';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { TASKS } from '../../tasks/index.ts';
import { TASK_NAMES } from '../../tasks/types.ts';
import { setTask } from '../actions.ts';
import { CompletionText } from '../rollouts/CompletionText.tsx';
import { useApp } from '../store.ts';
import { useField } from './useField.ts';
import classes from './controls.module.css';

/** The task, what it asks, and one problem of it with its answer. */
export function TaskSection(): ReactNode {
  const name = useApp((state) => state.form.task);
  const seed = useApp((state) => state.form.seed);
  const { locked } = useField('task');
  const task = TASKS[name];
  const example = useMemo(() => {
    const problem = task.generate(Number.isInteger(seed) ? seed : 0, 'train', 0);
    return {
      question: task.messages(problem, 'compact').at(-1)?.content ?? '',
      answer: problem.answer,
      goodForm: task.workedAnswer(problem),
    };
  }, [task, seed]);
  return (
    <div className={classes.section}>
      <NativeSelect
        label="Task"
        data-testid="task-select"
        value={name}
        disabled={locked}
        onChange={(event) => {
          const chosen = TASK_NAMES.find((each) => each === event.currentTarget.value);
          if (chosen !== undefined) setTask(chosen);
        }}
        data={TASK_NAMES.map((value) => ({ value, label: TASKS[value].title }))}
      />
      <p className={classes.summary}>{task.summary}</p>
      <dl className={classes.example}>
        <dt>Asked</dt>
        <dd className="number">{example.question}</dd>
        <dt>True answer</dt>
        <dd className="number">{example.answer}</dd>
        <dt>Good form</dt>
        <dd>
          <CompletionText text={example.goodForm} />
        </dd>
      </dl>
    </div>
  );
}
