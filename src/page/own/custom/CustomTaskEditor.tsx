import { Button, Group, TextInput } from '@mantine/core';
import { useDeferredValue, useEffect, useMemo, useState, type ReactNode } from 'react';
import { customTask, customTaskErrors, CUSTOM_PREFIX } from '@rl-playground/tasks/parts';
import { originOf } from '@rl-playground/bridges/dataset';
import { setTask } from '../../run/actions/actions.ts';
import { RewardCalculator } from '../calculator/RewardCalculator.tsx';
import { useField, useLock } from '../../run/form/useField.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { askedTasks } from '@rl-playground/run/data';
import { saveCustomTask } from '../../run/tasks/library.ts';
import { useForm } from '../../run/form/formStore.ts';
import { dropRows, useOpen, reportError } from '../../ui/open/openStore.ts';
import { DataStep } from './DataStep.tsx';
import { withFiles, definitionOfDraft, programFailure, type Draft } from './draft.ts';
import { GraderStep } from './GraderStep.tsx';
import boxes from '../../ui/style/boxes.module.css';

/** A task that is only tried out needs no real name. */
const NAMELESS = 'untitled';

interface EditorProps {
  readonly start: Draft;
  /** The name of the edited task; null: the task is new. */
  readonly editing: string | null;
  readonly onClose: () => void;
}

/** Makes or changes a custom task, and tries its rewards. */
export function CustomTaskEditor({ start, editing, onClose }: EditorProps): ReactNode {
  const [draft, setDraft] = useState(start);
  const dropped = useOpen((state) => state.droppedRows);
  const customTasks = useForm((state) => state.customTasks);
  const seed = useForm((state) => state.form.seed);
  const locked = useLock() !== 'none';
  const taskLocked = useField('task').locked;
  // The run's settings know the task by its name.
  const inRun =
    useForm((state) => editing !== null && askedTasks(state.form).includes(`${CUSTOM_PREFIX}${editing}`)) &&
    locked;

  useEffect(() => {
    if (dropped === null) return;
    dropRows(null);
    void withFiles([dropped]).then(setDraft);
  }, [dropped]);

  const { rows, grader, system } = useDeferredValue(draft);
  const { errors, trial } = useMemo(() => {
    const definition = { name: NAMELESS, rows, grader, system };
    const wrong = rows.length === 0 ? [] : customTaskErrors(definition);
    return { errors: wrong, trial: rows.length === 0 || wrong.length > 0 ? null : customTask(definition) };
  }, [rows, grader, system]);
  const name = draft.name.trim();
  const taken = name !== editing && customTasks.some(({ title }) => title === name);
  const nameError = taken ? 'There is already a task of this name. Choose another name.' : null;
  const usable = trial !== null && name !== '' && nameError === null;

  const save = async (): Promise<void> => {
    const definition = definitionOfDraft(draft);
    const wrong = customTaskErrors(definition);
    if (wrong.length > 0) {
      reportError('The task was not saved', new Error(wrong.join(' ')), 'Correct it and save again.');
      return;
    }
    const failure = await programFailure(definition, customTask(definition), seed);
    if (failure !== null) {
      reportError('The task was not saved', new Error(failure), 'Fix the program and save again.');
      return;
    }
    const origin = draft.from && (await originOf(draft.from, draft.rows));
    await saveCustomTask({ ...definition, ...(origin && { origin }) }, editing);
    if (!taskLocked) setTask(`${CUSTOM_PREFIX}${definition.name}`);
    onClose();
  };

  return (
    <div className="stack wide" data-testid="own-editor">
      <DataStep draft={draft} onChange={setDraft} />
      <GraderStep
        settings={draft.grader}
        system={draft.system}
        onChange={(change) => setDraft((now) => ({ ...now, ...change }))}
      />
      {errors.length > 0 && (
        <ul className="note bad" role="alert" data-testid="own-errors">
          {errors.map((error) => (
            <li key={error}>{error}</li>
          ))}
        </ul>
      )}
      {trial !== null && (
        <fieldset className={boxes.group}>
          <legend>Try it out</legend>
          <RewardCalculator task={trial} config={trial.defaults} seed={seed} mode="strict" />
        </fieldset>
      )}
      <Group align="end" gap={8}>
        <TextInput
          label="Name"
          flex="1 1 180px"
          value={draft.name}
          maxLength={48}
          error={nameError}
          disabled={inRun}
          description={
            inRun ? 'A run uses the task under this name. Reset the run to rename the task.' : undefined
          }
          onChange={(event) => {
            const typed = event.currentTarget.value;
            setDraft((now) => ({ ...now, name: typed }));
          }}
          data-testid="own-name"
        />
        <ActionButton
          variant="outline"

          usable={usable}
          onClick={() => void save()}
          data-testid="own-save"
        >
          {editing === null && !taskLocked ? 'Save and choose it' : 'Save'}
        </ActionButton>
        <Button onClick={onClose}>Cancel</Button>
      </Group>
    </div>
  );
}
