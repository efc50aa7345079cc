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
import classes from './custom.module.css';

/** `list`, or the editor with a new task (null) or one that is kept. */
type View = 'list' | { readonly editing: string | null };

function CustomTaskList({ onEdit }: { onEdit: (name: string) => void }): ReactNode {
  const tasks = useForm((state) => state.customTasks);
  const locked = useLock() !== 'none';
  const taskLocked = useField('task').locked;
  const [removing, setRemoving] = useState<string | null>(null);
  if (tasks.length === 0) return <p className="quiet">There are none yet.</p>;
  return (
    <ul className={classes.list}>
      {tasks.map(({ name, title, definition }) => (
        <li key={name} data-testid="own-task">
          <span className={classes.name}>
            <b>{title}</b> <span className="quiet">{plural(definition?.rows.length ?? 0, 'row')}</span>
          </span>
          {removing === title ? (
            <>
              <span>Delete it permanently?</span>
              <Button
                variant="filled"
                size="compact-xs"
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
            </>
          ) : (
            <>
              <Button
                size="compact-xs"
                disabled={taskLocked}
                aria-label={`Choose ${title}`}
                onClick={() => setTask(name)}
              >
                Choose
              </Button>
              <Button size="compact-xs" aria-label={`Edit or rename ${title}`} onClick={() => onEdit(title)}>
                Edit or rename
              </Button>
              <Button
                size="compact-xs"
                disabled={locked}
                aria-label={`Remove ${title}`}
                onClick={() => setRemoving(title)}
              >
                Remove
              </Button>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The user's custom tasks: made, tried, kept, exported, imported. */
export function CustomTaskPanel(): ReactNode {
  const [view, setView] = useState<View>('list');
  const dropped = useOpen((state) => state.droppedRows);
  const any = useForm((state) => state.customTasks.length > 0);

  const take = async (file: File): Promise<void> => {
    try {
      await importCustomTasks(await file.text());
    } catch (error) {
      reportError(`${file.name} was not imported`, error, 'Your tasks are as they were.');
    }
  };

  // Rows that were dropped on the page begin a new task.
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
    <div className={classes.editor}>
      <p className="quiet">
        Your own questions and answers, with a grader or a program that scores. They are kept in this browser,
        appear in the task menu, and travel with checkpoints.
      </p>
      <CustomTaskList onEdit={(name) => setView({ editing: name })} />
      <div className={classes.buttons}>
        <Button
          variant="filled"

          onClick={() => setView({ editing: null })}
          data-testid="own-new"
        >
          New task
        </Button>
        <FileButton
          usable
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
