/** A problem with answers to it: those of a step's rollouts, or that of an evaluation. */
import { useState, type ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import type { EvalSample } from '@rl-playground/run/loop';
import type { StopReason } from '@rl-playground/base/conversation';
import { signed } from '../../ui/text/format.ts';
import { useRun } from '../../run/state/runStore.ts';
import { showPlace } from '../../ui/open/openStore.ts';
import { LinkButton } from '../../ui/parts/buttons.tsx';
import { RightOrWrong } from '../../ui/parts/words.tsx';
import { CompletionText } from '../../ui/parts/CompletionText.tsx';
import { HeldOutPrompt, ModelPrompt } from './ModelPrompt.tsx';
import { RewardReason } from './RewardReason.tsx';
import type { DistinctAnswer, ProblemGroup } from './rolloutGroups.ts';
import { TokenView } from './TokenView.tsx';
import classes from './rollouts.module.css';

const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  eos: 'ended by itself',
  stop: 'stop string',
  max_tokens: 'cut: token limit',
  error: 'generator failed',
};

/** A good answer is right and earns something. A right answer in the wrong form may earn nothing, and a wrong one something for its form. */
export function earned(correct: boolean, total: number): boolean {
  return correct && total > 0;
}

const badgeOf = (good: boolean): string => `${classes.badge} ${good ? classes.good : classes.bad}`;

/** A reward with its sign, a mark and a colour, so that nobody depends on one of the three. */
export function RewardBadge({ total, good }: { total: number; good: boolean }): ReactNode {
  return (
    <RightOrWrong right={good} className={`number ${badgeOf(good)}`}>
      <span className="visually-hidden">reward</span> {signed(total, Number.isInteger(total) ? 0 : 2)}
    </RightOrWrong>
  );
}

function Answer({ rollout, times }: DistinctAnswer): ReactNode {
  const { reward } = rollout;
  const [open, setOpen] = useState(false);
  return (
    <li className={classes.answer} data-correct={reward.correct} data-format={reward.format}>
      <RewardBadge total={reward.total} good={earned(reward.correct, reward.total)} />
      <CompletionText text={rollout.text} />
      <span className={`quiet ${classes.fact}`}>
        {times > 1 && (
          <b className="number" title={`${times} answers have the same text`}>
            ×{times}
          </b>
        )}
      </span>
      <span className={`quiet ${classes.fact}`}>
        read{' '}
        <b className="number" data-testid="extracted">
          {reward.extracted ?? 'nothing'}
        </b>
      </span>
      <span className={`quiet ${classes.fact}`}>
        advantage <b className="number">{signed(rollout.advantage, 2)}</b>
      </span>
      <span className={`quiet ${classes.fact}`}>
        {plural(rollout.tokens.length, 'token')}, {STOP_WORDS[rollout.stopReason]}
      </span>
      <RewardReason reward={reward} />
      <button
        type="button"
        className={`bare link ${classes.tokensButton}`}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        Tokens
      </button>
      {open && <TokenView rollout={rollout} />}
    </li>
  );
}

/** A question and its true answer. */
export function Asked({ question, answer }: Pick<ProblemProps, 'question' | 'answer'>): ReactNode {
  return (
    <>
      <b>{question}</b>{' '}
      <span className="quiet">
        expected <b className="number">{answer}</b>
      </span>
    </>
  );
}

interface ProblemProps {
  readonly question: string;
  readonly answer: string;
  /** A summary of the answers. */
  readonly tally?: ReactNode;
  /** The problem as the model reads it. */
  readonly prompt: ReactNode;
  readonly children: ReactNode;
}

function Problem({ question, answer, tally, prompt, children }: ProblemProps): ReactNode {
  return (
    <article className={classes.problem}>
      <header className={`note row ${classes.question}`}>
        <Asked question={question} answer={answer} />
        {tally}
        {prompt}
      </header>
      <ul className="plain">{children}</ul>
    </article>
  );
}

/** One problem: its question and true answer, a summary of its rollouts, and some of them in full. */
export function ProblemCard({ group }: { group: ProblemGroup }): ReactNode {
  const good = group.all.filter(({ reward }) => earned(reward.correct, reward.total)).length;
  const tally = (
    <span className={`row quiet ${classes.tally}`}>
      <span className="good" aria-hidden="true">
        {group.all.map(({ reward }) => (earned(reward.correct, reward.total) ? '■' : '□'))}
      </span>
      {good} of {group.all.length} right and rewarded
    </span>
  );
  return (
    <Problem
      question={group.question}
      answer={group.answer}
      tally={tally}
      prompt={<ModelPrompt ids={group.all[0]?.promptIds ?? []} />}
    >
      {group.shown.map((answer, index) => (
        <Answer key={index} {...answer} />
      ))}
    </Problem>
  );
}

interface SampleCardProps {
  readonly sample: EvalSample;
  /** The number of draws for pass@k, if there were any. */
  readonly draws: number | undefined;
  /** Its place in the evaluation. */
  readonly place: number;
}

/** One problem of an evaluation with its sampled answer, and a summary of its other answers. */
export function SampleCard({ sample, draws, place }: SampleCardProps): ReactNode {
  const { greedy, correctDraws, task, question } = sample;
  const others = [
    ...(greedy ? [`greedy ${greedy.correct ? 'right' : 'wrong'}`] : []),
    ...(draws !== undefined && correctDraws !== undefined
      ? [`${correctDraws} of ${plural(draws, 'draw')} right`]
      : []),
  ];
  const tally = <span className={`row quiet ${classes.tally}`}>{others.join(', ')}</span>;
  const watch = useRun((state) => state.watch);
  return (
    <Problem
      question={question}
      answer={sample.answer}
      tally={tally}
      prompt={
        <>
          <LinkButton
            onClick={() => {
              watch?.follow(place);
              showPlace('train');
            }}
          >
            Watch this one
          </LinkButton>
          <HeldOutPrompt asked={{ task, question }} />
        </>
      }
    >
      <li className={classes.answer} data-correct={sample.correct} data-format={sample.format}>
        <RightOrWrong right={sample.correct} className={badgeOf(sample.correct)} />
        <CompletionText text={sample.text} />
        <span className={`quiet ${classes.fact}`} />
        <span className={`quiet ${classes.fact}`}>
          read <b className="number">{sample.extracted ?? 'nothing'}</b>
        </span>
        <span className={`quiet ${classes.fact}`}>{sample.format ? 'right format' : 'wrong format'}</span>
        {sample.reward && <RewardReason reward={sample.reward} />}
      </li>
    </Problem>
  );
}
