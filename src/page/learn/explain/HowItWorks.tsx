/** The loop of a step: a strip with the numbers of the latest step, and a fold with the words of the page. */
import type { ReactNode } from 'react';
import { compact, count, percent, signed } from '../../ui/text/format.ts';
import { Fold } from '../../ui/parts/Fold.tsx';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { useRun } from '../../run/state/runStore.ts';
import classes from './explain.module.css';

const Explainer = lazyPart(async () => (await import('./Explainer.tsx')).Explainer);

function LoopStrip(): ReactNode {
  const last = useRun((state) => state.snapshot.metrics.at(-1));
  const rollouts = useRun((state) => state.snapshot.rollouts);
  const question = rollouts[0]?.question;
  const right = rollouts.filter((rollout) => rollout.reward.correct).length;
  const stages = [
    {
      verb: 'Ask',
      what: 'A problem with a known answer is chosen at random, never one kept for evaluation',
      now: question ?? null,
    },
    {
      verb: 'Answer',
      what: 'The model writes several answers, each sampled at random',
      now: rollouts.length > 0 ? `${count(rollouts.length)} answers, ${count(right)} right` : null,
    },
    {
      verb: 'Score',
      what: 'A program, not a person, gives each answer a reward',
      now: last === undefined ? null : `mean ${signed(last.reward)}, form ${percent(last.format, 0)}`,
    },
    {
      verb: 'Update',
      what: 'Answers above average become more likely, the others less likely',
      now: last === undefined ? null : `step ${last.step}, moved ${compact(last.kl)} nats`,
    },
  ];
  return (
    <ol className={`plain ${classes.strip}`} aria-label="One training step">
      {stages.map((stage, index) => (
        <li key={stage.verb} className={classes.stage}>
          <b>
            <span style={{ color: 'var(--accent)' }}>{index + 1}</span> {stage.verb}
          </b>
          <span className="quiet">{stage.what}</span>
          {stage.now !== null && (
            <span className={`number ${classes.now}`}>
              {stage.verb === 'Ask' ? stage.now : <Glossed text={stage.now} />}
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}

export function HowItWorks(): ReactNode {
  return (
    <section className={`panel ${classes.howItWorks}`} aria-label="How it works">
      <LoopStrip />
      <div className={classes.more}>
        <Fold title="What the words mean" note="reward, advantage, accuracy…">
          <Explainer />
        </Fold>
      </div>
    </section>
  );
}
