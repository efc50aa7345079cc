import { useState, type ReactNode } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { plural } from '@rl-playground/base/text';
import type { HeldOutQuestion } from '@rl-playground/run/loop';
import { CompletionText } from '../../ui/parts/CompletionText.tsx';
import { useRun } from '../../run/state/runStore.ts';
import classes from './rollouts.module.css';

interface PromptFoldProps {
  readonly name?: string | undefined;
  /** Makes the text when somebody opens the fold. */
  readonly read: () => string;
}

/** A prompt with its special tokens written out, as the model reads it before it answers. */
export function PromptFold({ name = 'As the model sees it', read }: PromptFoldProps): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <details className={classes.prompt} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{name}</summary>
      {open && <CompletionText text={read()} />}
    </details>
  );
}

/** The same for a prompt in tokens. It needs a model that can turn them into text. */
export function ModelPrompt({ ids, name }: { ids: readonly number[]; name?: string }): ReactNode {
  const text = useRun((state) => state.controller?.start.promptText(ids) ?? '');
  const title = name ?? `As the model sees it, ${plural(ids.length, 'token')}`;
  return text !== '' && <PromptFold name={title} read={() => text} />;
}

/** The prompt of an evaluation. Its record has only the question, so the prompt is made again. */
export function HeldOutPrompt({ asked }: { asked: HeldOutQuestion }): ReactNode {
  const controller = useRun((state) => state.controller);
  const textOrProblem = (): string => {
    try {
      return controller?.start.heldOutPrompt(asked) ?? '';
    } catch (error) {
      return messageOf(error);
    }
  };
  return <PromptFold read={textOrProblem} />;
}
