/** What a generator is asked, how fast it is, and what it has added. */
import type { ReactNode } from 'react';
import type { PageGeneratorState, ShownAnswer } from '@rl-playground/machines/pageGenerator';
import { count } from '../../ui/text/format.ts';
import { CompletionText } from '../../ui/parts/CompletionText.tsx';
import { Panel } from '../../ui/parts/Panel.tsx';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useRun } from '../state/runStore.ts';
import { joinAgain } from './generatorActions.ts';
import { PlainHttpNote } from './JoinForm.tsx';
import classes from './generator.module.css';

function stateInWords({ state, run, others }: PageGeneratorState, server: string): string {
  if (state === 'left') return 'You have left. Nothing is connected any more.';
  if (state === 'connecting') return `Connecting to ${server}…`;
  if (state === 'working' && run !== null) return `Answering for the run ${run.name}.`;
  const there = others.length === 0 ? '' : ` There are others: ${others.join(', ')}.`;
  return `Waiting for a run.${there} It begins by itself.`;
}

function Figure({
  label,
  testId,
  children,
}: {
  label: string;
  testId: string;
  children: ReactNode;
}): ReactNode {
  return (
    <div className={classes.figure}>
      <dt>{label}</dt>
      <dd data-testid={testId}>{children}</dd>
    </div>
  );
}

function Answered({ question, answer }: ShownAnswer): ReactNode {
  return (
    <li className={classes.answered}>
      <pre className={classes.question}>{question === '' ? '(words not known)' : question}</pre>
      <pre className={classes.answer}>{answer === '' ? '(nothing)' : <CompletionText text={answer} />}</pre>
    </li>
  );
}

export function GeneratorWork({ now, server }: { now: PageGeneratorState; server: string }): ReactNode {
  const generator = useRun((state) => state.generator.generator);
  const name = useRun((state) => state.generator.name);
  const { state, run, base, answers, tokens, seconds, device, alike, question, recent, problem, lastRun } =
    now;
  return (
    <>
      <Panel title={`Generator ${name}`} testId="generator">
        <p role="status" data-testid="generator-state" data-state={state}>
          {stateInWords(now, server)}
        </p>
        {run !== null && <p className="quiet">{run.about}</p>}
        {run !== null && base !== null && (
          <p className="quiet" data-testid="generator-base">
            {base}
          </p>
        )}
        {lastRun !== null && run === null && <p className="quiet">{lastRun}</p>}
        {problem !== null && (
          <p role="alert" className={classes.problem} data-testid="generator-problem">
            {problem}
          </p>
        )}
        <dl className={classes.figures}>
          <Figure label="Answers added" testId="generator-answers">
            {count(answers)}
          </Figure>
          <Figure label="Tokens per second" testId="generator-speed">
            {seconds > 0 ? count(Math.round(tokens / seconds)) : '–'}
          </Figure>
          <Figure label="Computes on" testId="generator-device">
            {device ?? 'looking…'}
          </Figure>
          <Figure label="Against the trainer" testId="generator-alike">
            {alike === null ? '–' : alike ? 'the same to the bit' : 'differs by rounding, which is measured'}
          </Figure>
        </dl>
        <PlainHttpNote />
        <div className={classes.leave}>
          {state === 'left' ? (
            <ActionButton usable variant="default" onClick={joinAgain}>
              Join again
            </ActionButton>
          ) : (
            <ActionButton
              usable
              variant="default"
              data-testid="generator-leave"
              onClick={() => generator?.leave()}
            >
              Leave
            </ActionButton>
          )}
        </div>
      </Panel>
      <Panel title="Questions" testId="generator-questions">
        {state === 'working' && (
          <figure className={classes.now}>
            <figcaption>Being answered</figcaption>
            <pre className={classes.question} data-testid="generator-question">
              {question ?? 'nothing yet: the trainer learns from what it has'}
            </pre>
          </figure>
        )}
        {recent.length === 0 ? (
          <p className="quiet">What is asked here and answered shows up here.</p>
        ) : (
          <ul className={classes.recent} data-testid="generator-recent">
            {recent.map((each) => (
              <Answered key={each.id} {...each} />
            ))}
          </ul>
        )}
      </Panel>
    </>
  );
}
