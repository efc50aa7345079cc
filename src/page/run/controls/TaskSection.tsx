/** The choice of the task, its settings, and what to expect of it. */
import { NativeSelect } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { defaultConfig, type RunConfig } from '@rl-playground/run/settings';
import { findTask, MIXTURE } from '@rl-playground/tasks/parts';
import { setTask, setValue } from '../actions/actions.ts';
import { wholeTaskConfig } from '../form/settings.ts';
import { chooseModel, expectation, neededModel, taskMenu } from '../form/task.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { useField, useFormErrors } from '../form/useField.ts';
import { Problem } from '../../ui/parts/words.tsx';
import { setOpen } from '../../ui/open/openStore.ts';
import { useForm } from '../form/formStore.ts';
import { useRun } from '../state/runStore.ts';
import { TaskFields } from './TaskFields.tsx';
import classes from './controls.module.css';

const DatasetSection = lazyPart(async () => (await import('./DatasetSection.tsx')).DatasetSection);
const TaskExample = lazyPart(
  async () => (await import('./TaskExample.tsx')).TaskExample,
  // About the height of an example, so that what is below hardly moves when it comes.
  () => <div style={{ height: 84 }} />,
);
const MixtureEditor = lazyPart(async () => (await import('./MixtureEditor.tsx')).MixtureEditor);

/** The errors of the task and of its settings as a whole, which no single field can show. */
function TaskErrors(): ReactNode {
  const errors = useFormErrors();
  return (['task', 'mixture', 'taskConfig'] as const).map((key) => (
    <Problem key={key} text={errors.get(key) ?? null} />
  ));
}

export function TaskSection(): ReactNode {
  const form = useForm((state) => state.form);
  const customTasks = useForm((state) => state.customTasks);
  const { locked } = useField('task');
  const provided = useForm((state) => state.dataset.provided);
  const loaded = useRun(({ snapshot }) => (snapshot.modelIsOurs ? null : snapshot.modelName));
  const task = findTask(form.task);
  const needed = task && neededModel(task, loaded !== null);
  const config = useMemo(() => wholeTaskConfig(form), [form]);
  return (
    <div className={classes.section}>
      <NativeSelect
        size="sm"
        label="Task"
        data-testid="task-select"
        data-setting="task"
        value={form.task}
        disabled={locked}
        onChange={(event) => setTask(event.currentTarget.value)}
        data={taskMenu(customTasks, loaded !== null)}
      />
      {task !== null && (
        <>
          <p className="quiet">
            {task.summary} From: {task.source}.
          </p>
          <p className="quiet" data-testid="task-expectation">
            {expectation(task, form, loaded)}
          </p>
          {needed !== null && (
            <ActionButton usable={!locked} data-testid="larger-model" onClick={() => setOpen('models')}>
              {chooseModel(needed)}
            </ActionButton>
          )}
          {task.dataset !== undefined && <DatasetSection dataset={task.dataset} locked={locked} />}
          <TaskExample
            key={`${provided} ${task.dataset?.counts()?.train ?? 0}`}
            task={task}
            config={config}
            seed={form.seed}
          />
        </>
      )}
      {form.task === MIXTURE && (
        <p className="quiet">Problems come from several tasks, each with a weight and settings of its own.</p>
      )}
      <TaskErrors />
    </div>
  );
}

export function TaskSettings(): ReactNode {
  const form = useForm((state) => state.form);
  const { locked } = useField('taskConfig');
  if (form.task === MIXTURE) return <MixtureEditor />;
  const task = findTask(form.task);
  if (task === null || Object.keys(task.fields).length === 0) return null;
  return (
    <div className={classes.section} data-testid="task-settings" data-setting="taskConfig">
      <TaskFields
        task={task}
        changes={form.taskConfig}
        usual={defaultConfig(form.task, form.preset).taskConfig}
        locked={locked}
        onChange={(changes) => setValue('taskConfig', changes as RunConfig['taskConfig'])}
      />
    </div>
  );
}
