/** One problem of a task. It is loaded after the first view, because it brings the word lists of tasks. */
import { useMemo, type ReactNode } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { taskConfigErrors, type Task, type TaskConfig } from '@rl-playground/tasks/parts';
import { smallSpace } from '../form/task.ts';
import { CompletionText } from '../../ui/parts/CompletionText.tsx';
import classes from './controls.module.css';
import '@rl-playground/tasks/words';

interface TaskExampleProps {
  readonly task: Task;
  readonly config: TaskConfig;
  readonly seed: number;
}

/** One problem of a task with its answer, or why there is none under these settings. */
export function TaskExample({ task, config, seed }: TaskExampleProps): ReactNode {
  const example = useMemo(() => {
    if (taskConfigErrors(task, config).length > 0) return null;
    try {
      const problem = task.generate(Number.isInteger(seed) ? seed : 0, 'train', 0, config);
      return { problem, goodForm: task.workedAnswer(problem), space: smallSpace(task, config) };
    } catch (error) {
      return messageOf(error);
    }
  }, [task, config, seed]);
  if (example === null) return null;
  if (typeof example === 'string') return <p className="quiet">{example}</p>;
  const { problem, goodForm, space } = example;
  return (
    <>
      {space !== null && <p className="quiet">{space}</p>}
      <dl className={`note ${classes.example}`}>
        <dt>Question</dt>
        <dd className={classes.asked}>{problem.question}</dd>
        <dt>Right answer</dt>
        <dd className={classes.asked}>{problem.answer}</dd>
        <dt>Expected format</dt>
        <dd>
          <CompletionText text={goodForm} />
        </dd>
      </dl>
    </>
  );
}
