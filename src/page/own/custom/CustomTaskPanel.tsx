import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { setTask } from '../../run/actions/actions.ts';
import { saveFile } from '../../ui/files/saveDownload.ts';
import { useField, useLock } from '../../run/form/useField.ts';
import { plural } from '@rl-playground/base/text';
import { FileButton } from '../../ui/parts/buttons.tsx';
import {
  definitionOf,
  importCustomTasks,
  customTasksFile,
  removeCustomTask,
} from '../../run/tasks/library.ts';
import { useForm } from '../../run/form/formStore.ts';
import { useOpen, reportError } from '../../ui/open/openStore.ts';
import { draftOf, EMPTY_DRAFT } from './draft.ts';
import { CustomTaskEditor } from './CustomTaskEditor.tsx';
import boxes from '../../ui/style/boxes.module.css';

/** The list, or the editor of a task by its name; null is a new task. */
type View = 'list' | { readonly editing: string | null };

function CustomTaskList({ onEdit }: { onEdit: (name: string) => void }): ReactNode {
  const tasks = useForm((state) => state.customTasks);
  const locked = useLock() !== 'none';
  const taskLocked = useField('task').locked;
  const [removing, setRemoving] = useState<string | null>(null);
  if (tasks.length === 0) return <p className="quiet">You have no task yet.</p>;
  const button = (words: string, label: string, act: () => void, disabled = false): ReactNode => (
    <Button size="compact-xs" disabled={disabled} aria-label={label} onClick={act}>
      {words}
    </Button>
  );
  return (
    <ul className="plain">
      {tasks.map(({ name, title, definition }) => (
        <li key={name} className={boxes.item} data-testid="own-task">
          <span>
            <b>{title}</b> <span className="quiet">{plural(definition?.rows.length ?? 0, 'row')}</span>
          </span>
          {removing === title ? (
            <span className="row">
              Delete it permanently?
              <Button
                size="compact-xs"
                variant="filled"
                color="red.9"
                onClick={() => {
                  setRemoving(null);
                  void removeCustomTask(title);
                }}
              >
                Remove
              </Button>
              <Button size="compact-xs" onClick={() => setRemoving(null)}>
                Keep
              </Button>
            </span>
          ) : (
            <span className="row">
              {button('Choose', `Choose ${title}`, () => setTask(name), taskLocked)}
              {button('Edit or rename', `Edit or rename ${title}`, () => onEdit(title))}
              {button('Remove', `Remove ${title}`, () => setRemoving(title), locked)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The list of the user's own tasks, or the editor of one. */
export function CustomTaskPanel(): ReactNode {
  const [view, setView] = useState<View>('list');
  const dropped = useOpen((state) => state.droppedRows);
  const any = useForm((state) => state.customTasks.length > 0);

  const take = async (file: File): Promise<void> => {
    try {
      await importCustomTasks(await file.text());
    } catch (error) {
      reportError(`${file.name} was not imported`, error, 'Your tasks are unchanged.');
    }
  };

  // Dropped rows begin a new task.
  if (view === 'list' && dropped !== null) setView({ editing: null });
  if (view !== 'list') {
    const definition = view.editing === null ? null : definitionOf(view.editing);
    return (
      <CustomTaskEditor
        start={definition === null ? EMPTY_DRAFT : draftOf(definition)}
        editing={definition?.name ?? null}
        onClose={() => setView('list')}
      />
    );
  }
  return (
    <div className="stack wide">
      <p className="quiet">
        A task of your own has questions and answers, and a grader or a program that scores. Tasks are kept in
        this browser, appear in the task menu, and are part of checkpoints.
      </p>
      <CustomTaskList onEdit={(name) => setView({ editing: name })} />
      <div className="row">
        <Button
          variant="filled"

          onClick={() => setView({ editing: null })}
          data-testid="own-new"
        >
          New task
        </Button>
        <FileButton
          accept=".json"
          inputName="Tasks to import"
          inputTestId="own-import"
          onFiles={([file]) => void take(file)}
        >
          Import…
        </FileButton>
        {any && (
          <Button data-testid="own-export" onClick={() => saveFile(customTasksFile())}>
            Export all
          </Button>
        )}
      </div>
    </div>
  );
}
