/** The question whether the page may join, with what that means. */
import { TextInput } from '@mantine/core';
import { useEffect, useState, type FormEvent, type ReactNode } from 'react';
import type { Invitation } from '@rl-playground/machines';
import { Panel } from '../../ui/parts/Panel.tsx';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { changeGenerator, useRun } from '../state/runStore.ts';
import { join } from './generatorActions.ts';
import classes from './generator.module.css';

/** Says what a page lacks that came by plain http from another machine. */
export function PlainHttpNote(): ReactNode {
  if (window.isSecureContext) return null;
  return (
    <p className="quiet" data-testid="plain-http">
      This page was loaded over plain http, where browsers offer no GPU, no threads and no SHA-256. It
      computes on one thread of the CPU, and a library checks its downloads.
    </p>
  );
}

/** The contents of the prompts, by the link: the run itself is known only after the page has connected. */
function AboutPrompts({ task }: { task: string }): ReactNode {
  const [words, setWords] = useState<string | null>(null);
  useEffect(() => {
    // All tasks come with it.
    const load = async (): Promise<void> => {
      const { promptsInWords } = await import('@rl-playground/run/data/promptsInWords');
      setWords(promptsInWords(task.slice(0, 100)));
    };
    load().catch(() => setWords(`Its prompts are those of ${task.slice(0, 100)}.`));
  }, [task]);
  return <li data-testid="prompts">{words ?? 'The page is looking up what its prompts contain.'}</li>;
}

export function JoinForm({ server: { url }, run, task }: Invitation): ReactNode {
  const name = useRun((state) => state.generator.name);
  const { host } = new URL(url);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void join();
  };
  return (
    <Panel title="You are invited to generate" testId="join">
      <form className="stack wide" onSubmit={submit}>
        <p>
          A language model is being trained on another machine, by trial and reward, and needs many answers to
          its questions. This page can write some of them: it connects to <b>{url}</b>, fetches the model’s
          weights there, and answers
          {run === null ? ' what the run there asks' : ` what the run “${run}” asks`}, until you leave.
        </p>
        <ul className={classes.bullets}>
          {task !== null && <AboutPrompts task={task} />}
          <li>
            It sends its answers, the name below, and what it computes on. It reads no file of yours, runs no
            program from that machine, and takes only weights that the run has signed. If the model is on a
            hub that you have allowed, this page downloads it from there.
          </li>
          <li>
            It keeps a processor busy: plug in a phone or laptop, and keep this tab in front, because browsers
            slow down tabs in the background.
          </li>
          <li>Anyone who has this link can read the questions and answers.</li>
        </ul>
        <PlainHttpNote />
        <TextInput
          label="Name"
          description="as the run lists this machine"
          value={name}
          maxLength={60}
          onChange={(event) => changeGenerator({ name: event.currentTarget.value })}
          data-testid="join-name"
        />
        <ActionButton
          type="submit"
          size="md"
          variant="filled"
          usable={name.trim() !== ''}
          data-testid="join-button"
        >
          Join {host}
        </ActionButton>
      </form>
    </Panel>
  );
}
