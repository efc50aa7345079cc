import { Button } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import type { RunController } from '@rl-playground/run/session';
import { saveDownload } from '../../ui/files/saveDownload.ts';
import { useRun } from '../../run/state/runStore.ts';
import { CopyDiagnostics } from './CopyDiagnostics.tsx';
import { nameOfError, noteEvent } from './events.ts';

interface FailureScreenProps {
  readonly error: Error;
  readonly onDrawAgain: () => void;
}

/** The message in place of a page that could not be drawn. The run goes on behind it, and can be saved. */
export function FailureScreen({ error, onDrawAgain }: FailureScreenProps): ReactNode {
  const { controller } = useRun.getState();
  /** The outcome of saving the checkpoint. */
  const [saved, setSaved] = useState('');
  useEffect(() => noteEvent(`the page could not be drawn: ${nameOfError(error)}`), [error]);
  const save = async (from: RunController): Promise<void> => {
    setSaved('The checkpoint will be saved after the current step.');
    try {
      await saveDownload(await from.save('checkpoint'));
      setSaved('The checkpoint is saved.');
    } catch (problem) {
      setSaved(`The checkpoint could not be written: ${messageOf(problem)}`);
    }
  };
  return (
    <div className="stack wide" style={{ maxWidth: '70ch', margin: '12vh auto' }} role="alert">
      <h1>The page could not be drawn</h1>
      <p>
        This is a fault of RL Playground, not of your machine or your run’s settings.{' '}
        {controller === null
          ? 'Reload the page to continue.'
          : 'The run itself continues in the background. Draw the page again, or save a checkpoint first; after a reload you can continue the run.'}
      </p>
      <div className="row">
        {controller !== null && (
          <>
            <Button onClick={onDrawAgain}>Draw again</Button>
            <Button onClick={() => void save(controller)}>Save checkpoint</Button>
          </>
        )}
        <CopyDiagnostics />
      </div>
      <p role="status">{saved}</p>
      <pre className="note">{error.message}</pre>
    </div>
  );
}
