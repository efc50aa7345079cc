import { useState, type ReactNode } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { plural } from '@rl-playground/base/text';
import type { HeldOutQuestion } from '@rl-playground/run/loop';
import { CompletionText } from '../../ui/parts/CompletionText.tsx';
import { useRun } from '../../run/state/runStore.ts';
import classes from './rollouts.module.css';

interface PromptFoldProps {
  readonly text: string;
  /** The number of its tokens, if known. */
  readonly tokens?: number;
  /** A short title for places with little room. */
  readonly name?: string;
}

/** A prompt with its special tokens written out, as the model reads it before it answers. */
export function PromptFold({ text, tokens, name }: PromptFoldProps): ReactNode {
  return (
    <details className={classes.prompt}>
      <summary>
        {name ?? `As the model sees it${tokens === undefined ? '' : `, ${plural(tokens, 'token')}`}`}
      </summary>
      <CompletionText text={text} />
    </details>
  );
}

/** The same for a prompt in tokens. It needs a model that can turn them into text. */
export function ModelPrompt({ ids, name }: { ids: readonly number[]; name?: string }): ReactNode {
  const controller = useRun((state) => state.controller);
  const text = controller?.start.promptText(ids) ?? '';
  return text === '' ? null : (
    <PromptFold text={text} tokens={ids.length} {...(name !== undefined && { name })} />
  );
}

/** The prompt of an evaluation. Its record has only the question, so the prompt is made again when somebody opens it. */
export function HeldOutPrompt({ asked }: { asked: HeldOutQuestion }): ReactNode {
  const [opened, setOpened] = useState(false);
  return (
    <details
      className={classes.prompt}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) setOpened(true);
      }}
    >
      <summary>As the model sees it</summary>
      {opened && <HeldOutText asked={asked} />}
    </details>
  );
}

function HeldOutText({ asked }: { asked: HeldOutQuestion }): ReactNode {
  const controller = useRun((state) => state.controller);
  const textOrProblem = (): string => {
    try {
      return controller?.start.heldOutPrompt(asked) ?? '';
    } catch (error) {
      return messageOf(error);
    }
  };
  return <CompletionText text={textOrProblem()} />;
}
