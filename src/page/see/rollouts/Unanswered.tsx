/** The line in place of what the model was asked and has not said yet. */
import type { ReactNode } from 'react';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Problem } from '../../ui/parts/words.tsx';
import type { Asked } from './useLook.ts';

interface UnansweredProps {
  readonly asked: Asked<unknown>;
  /** The beginning of the sentence, such as "The most likely tokens are computed". */
  readonly what: string;
}

export function Unanswered({ asked, what }: UnansweredProps): ReactNode {
  if (asked.state === 'failed') return <Problem text={`The model could not be asked: ${asked.problem}`} />;
  if (asked.state === 'absent')
    return (
      <p>
        {what} with the model, which is not on the device yet.{' '}
        <ActionButton size="compact-xs" usable={asked.ask !== null} onClick={() => asked.ask?.()}>
          Ask the model
        </ActionButton>
      </p>
    );
  return (
    asked.state === 'asking' && (
      <p className="quiet">
        {asked.busy ? 'The page will ask the model after this step…' : 'Asking the model…'}
      </p>
    )
  );
}
