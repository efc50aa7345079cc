import { useState, type ReactNode } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { plural } from '@rl-playground/base/text';
import type { HeldOutQuestion } from '@rl-playground/run/loop';
import type { RunController } from '@rl-playground/run/session';
import { CompletionText } from '../../ui/parts/CompletionText.tsx';
import { useRun } from '../../run/state/runStore.ts';
import classes from './rollouts.module.css';

interface PromptFoldProps {
  readonly text: string;
  /** Where they were counted. */
  readonly tokens?: number;
  /** What its line says where little room is; else that it is as the model sees it. */
  readonly name?: string;
}

/** A prompt, special tokens written out: what stands in front of the answer for the model. */
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

/** The same of a prompt in tokens; nothing without a model that could read them. */
export function ModelPrompt({ ids, name }: { ids: readonly number[]; name?: string }): ReactNode {
  const controller = useRun((state) => state.controller);
  const text = controller?.start.promptText(ids) ?? '';
  return text === '' ? null : (
    <PromptFold text={text} tokens={ids.length} {...(name !== undefined && { name })} />
  );
}

/** That of a row of an evaluation, whose record has the question alone: made again as soon as somebody opens it. */
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
  const { text, problem = null } = controller === null ? { text: '' } : madeAgain(controller, asked);
  return problem === null ? <CompletionText text={text} /> : <p>{problem}</p>;
}

function madeAgain(
  controller: Pick<RunController, 'start'>,
  asked: HeldOutQuestion,
): { readonly text: string; readonly problem?: string } {
  try {
    return { text: controller.start.heldOutPrompt(asked) };
  } catch (error) {
    return { text: '', problem: messageOf(error) };
  }
}
