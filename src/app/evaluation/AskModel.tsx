import { NumberInput, Textarea } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { ComparedAnswers } from '../../run/comparison.ts';
import { findTask } from '../../tasks/index.ts';
import { reportError } from '../actions.ts';
import { useApp } from '../store.ts';
import { canStart } from '../transport/phases.ts';
import { ActionButton } from '../ui/buttons.tsx';
import classes from './evaluation.module.css';
import '../../tasks/gym/words/wordData.ts';

/** A problem of the form's task, which the bundled models understand. */
function useExample(): string {
  const form = useApp((state) => state.form);
  const task = findTask(form.task);
  if (task === null) return '';
  try {
    const problem = task.generate(form.seed, 'eval', 0, { ...task.defaults, ...form.taskConfig });
    return task.messages(problem, 'compact').findLast(({ role }) => role === 'user')?.content ?? '';
  } catch {
    return '';
  }
}

function Answer({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  return (
    <figure className={classes.said}>
      <figcaption>{title}</figcaption>
      <pre>{text === '' ? '(nothing)' : text}</pre>
    </figure>
  );
}

/** A question to the model as it was before training and as it is now. */
export function AskModel(): ReactNode {
  const example = useExample();
  const [typed, setTyped] = useState<string | null>(null);
  const [temperature, setTemperature] = useState(0);
  const [maxTokens, setMaxTokens] = useState<number | null>(null);
  const [answers, setAnswers] = useState<ComparedAnswers | null>(null);
  const controller = useApp((state) => state.controller);
  const form = useApp((state) => state.form);
  const startable = useApp((state) => canStart(state.snapshot));
  const text = typed ?? example;
  const usable = controller !== null && startable && text.trim() !== '';
  const ask = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!usable) return;
    try {
      setAnswers(
        await controller.compare(form, { text, temperature, maxTokens: maxTokens ?? form.maxTokens }),
      );
    } catch (error) {
      reportError('The question was not answered', error, 'The run is as it was. Try again when it rests.');
    }
  };
  return (
    <form className={classes.ask} onSubmit={(event) => void ask(event)} data-testid="ask">
      <Textarea
        label="Question"
        description="Goes to the model as a person’s message, without the words that a task puts around it"
        value={text}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autosize
        minRows={2}
        maxRows={10}
        data-testid="ask-question"
      />
      <div className={classes.askSettings}>
        <NumberInput
          label="Temperature"
          min={0}
          max={5}
          step={0.1}
          value={temperature}
          onChange={(value) => typeof value === 'number' && setTemperature(value)}
        />
        <NumberInput
          label="Longest answer, tokens"
          min={1}
          max={4096}
          allowDecimal={false}
          value={maxTokens ?? form.maxTokens}
          onChange={(value) => typeof value === 'number' && value >= 1 && setMaxTokens(value)}
        />
        <ActionButton type="submit" usable={usable} data-testid="ask-button">
          Ask
        </ActionButton>
      </div>
      {answers !== null && (
        <div className={classes.askAnswers} role="status" data-testid="ask-answers">
          <Answer title="Before training" text={answers.before} />
          <Answer title={`Now, after step ${answers.step}`} text={answers.now} />
        </div>
      )}
      {!startable && <p className="quiet">The model is at work. Pause the run to ask it something.</p>}
    </form>
  );
}
