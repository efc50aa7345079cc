/** The work of a generator: what it is asked, how fast it is, and what it has added. */
import type { ReactNode } from 'react';
import type { MachineState, ShownAnswer } from '@rl-playground/machines/joining';
import { count } from '../../ui/text/format.ts';
import { CompletionText } from '../../ui/parts/CompletionText.tsx';
import { Panel } from '../../ui/parts/Panel.tsx';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Facts, Problem } from '../../ui/parts/words.tsx';
import { useRun } from '../state/runStore.ts';
import { joinAgain } from './generatorActions.ts';
import { PlainHttpNote } from './JoinForm.tsx';
import classes from './generator.module.css';

function stateInWords({ state, run, others }: MachineState, server: string): string {
  if (state === 'left') return 'You have left. This page is disconnected.';
  if (state === 'connecting') return `Connecting to ${server}…`;
  if (state === 'working' && run !== null) return `Answering for the run ${run.name}.`;
  const there = others.length === 0 ? '' : ` There are others: ${others.join(', ')}.`;
  return `Waiting for a run.${there} It starts automatically.`;
}

function Answered({ question, answer }: ShownAnswer): ReactNode {
  return (
    <li className="note">
      <pre className={classes.question}>{question === '' ? '(words not known)' : question}</pre>
      <pre>{answer === '' ? '(nothing)' : <CompletionText text={answer} />}</pre>
    </li>
  );
}

export function GeneratorWork({ now, server }: { now: MachineState; server: string }): ReactNode {
  const generator = useRun((state) => state.generator.generator);
  const name = useRun((state) => state.generator.name);
  const { state, run, base, answers, tokens, seconds, device, alike, question, recent, problem, lastRun } =
    now;
  const compared = alike ? 'identical in every bit' : 'differs by rounding, which is measured';
  const speed = seconds > 0 ? count(Math.round(tokens / seconds)) : '–';
  return (
    <>
      <Panel title={`Generator ${name}`} testId="generator">
        <p role="status" data-testid="generator-state" data-state={state}>
          {stateInWords(now, server)}
        </p>
        <p className="quiet">{run === null ? lastRun : run.about}</p>
        <p className="quiet" data-testid="generator-base">
          {run !== null && base}
        </p>
        <Problem text={problem} testId="generator-problem" />
        <Facts
          className={classes.figures}
          entries={[
            ['Answers added', count(answers), undefined, 'generator-answers'],
            ['Tokens per second', speed, undefined, 'generator-speed'],
            ['Computes on', device ?? 'looking…', undefined, 'generator-device'],
            ['Against the trainer', alike === null ? '–' : compared, undefined, 'generator-alike'],
          ]}
        />
        <PlainHttpNote />
        {state === 'left' ? (
          <ActionButton onClick={joinAgain}>Join again</ActionButton>
        ) : (
          <ActionButton data-testid="generator-leave" onClick={() => generator?.leave()}>
            Leave
          </ActionButton>
        )}
      </Panel>
      <Panel title="Questions" testId="generator-questions">
        {state === 'working' && (
          <figure>
            <figcaption className="quiet">Being answered</figcaption>
            <pre className={classes.question} data-testid="generator-question">
              {question ?? 'nothing now: the trainer is updating the model'}
            </pre>
          </figure>
        )}
        {recent.length === 0 ? (
          <p className="quiet">Questions and their answers will appear here.</p>
        ) : (
          <ul className="plain stack" data-testid="generator-recent">
            {recent.map((each) => (
              <Answered key={each.id} {...each} />
            ))}
          </ul>
        )}
      </Panel>
    </>
  );
}
