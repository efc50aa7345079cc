/** The loop of a training step as a strip, with the numbers of the latest step. */
import type { ReactNode } from 'react';
import { compact, count, percent, signed } from '../../ui/text/format.ts';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { useRun } from '../../run/state/runStore.ts';
import classes from './explain.module.css';

export function HowItWorks(): ReactNode {
  const last = useRun((state) => state.snapshot.metrics.at(-1));
  const rollouts = useRun((state) => state.snapshot.rollouts);
  const question = rollouts[0]?.question;
  const right = rollouts.filter((rollout) => rollout.reward.correct).length;
  const stages = [
    {
      verb: 'Ask',
      what: 'A problem is drawn at random',
      now: question ?? null,
    },
    {
      verb: 'Answer',
      what: 'The model writes several answers',
      now: rollouts.length > 0 ? `${count(rollouts.length)} answers, ${count(right)} right` : null,
    },
    {
      verb: 'Score',
      what: 'A program gives each a reward',
      now: last === undefined ? null : `mean ${signed(last.reward)}, format ${percent(last.format, 0)}`,
    },
    {
      verb: 'Update',
      what: 'Better answers become more likely',
      now: last === undefined ? null : `step ${last.step}, moved ${compact(last.kl)} nats`,
    },
  ];
  return (
    <ol className={`panel plain ${classes.strip}`} aria-label="One training step">
      {stages.map((stage, index) => (
        <li key={stage.verb} className={classes.stage}>
          <b>
            <span style={{ color: 'var(--accent)' }}>{index + 1}</span> {stage.verb}
          </b>
          <span className={`quiet ${classes.now}`} title={stage.what}>
            {stage.now === null || stage.verb === 'Ask' ? (
              (stage.now ?? stage.what)
            ) : (
              <Glossed text={stage.now} />
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
