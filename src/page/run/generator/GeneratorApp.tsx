/** The page as a generator of somebody else's run: it asks before it connects, then shows what it does. */
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { SchemeToggle } from '../header/Tools.tsx';
import { count } from '../../ui/text/format.ts';
import { useRun } from '../state/runStore.ts';
import { Problem } from '../../ui/parts/words.tsx';
import { joinIfAgreed } from './generatorActions.ts';
import { GeneratorWork } from './GeneratorWork.tsx';
import { JoinForm } from './JoinForm.tsx';
import classes from './generator.module.css';

joinIfAgreed();

export function GeneratorApp(): ReactNode {
  const { invitation, now, problem } = useRun((state) => state.generator);
  useDocumentTitle(
    now === null
      ? 'Join as a generator · RL Playground'
      : `${count(now.answers)} answers, ${now.state} · RL Playground`,
  );
  return (
    <div className={classes.page}>
      <header className="row apart">
        <h1 className={classes.name}>RL Playground: generator</h1>
        <SchemeToggle />
      </header>
      <main className={classes.main}>
        <Problem text={problem} />
        {invitation === null ? (
          <p>
            This invitation is not valid. Ask the person who sent it for a new one, or{' '}
            <a href={window.location.pathname}>train a model of your own</a>.
          </p>
        ) : now === null ? (
          <JoinForm {...invitation} />
        ) : (
          <GeneratorWork now={now} server={invitation.server.url} />
        )}
      </main>
    </div>
  );
}
