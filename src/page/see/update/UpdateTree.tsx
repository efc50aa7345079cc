/** The effect of an update on the answers to one problem: the tree of likely tokens of one of them, and the whole group beside it. */
import { useElementSize } from '@mantine/hooks';
import { useMemo, type ReactNode } from 'react';
import type { RecordedRollout } from '@rl-playground/run/records';
import type { UpdateQuestion, UpdateSeen } from '@rl-playground/run/session';
import { LinkButton } from '../../ui/parts/buttons.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { signed } from '../../ui/text/format.ts';
import { earned, RewardBadge } from '../rollouts/ProblemCard.tsx';
import { tokenLook, tokenText } from '../rollouts/tokenMeasures.ts';
import { Unanswered } from '../rollouts/Unanswered.tsx';
import { useLook, type Look } from '../rollouts/useLook.ts';
import { BranchTree, COLUMN } from './BranchTree.tsx';
import { answerWords, factorOf, factorText, movedMost, windowOf } from './moved.ts';
import classes from './update.module.css';

/** The most places that are drawn at a time. */
const MOST_SHOWN = 8;

const look: Look<UpdateQuestion, UpdateSeen> = (controller, settings, question, stored) =>
  controller.look('updateSeen', settings, question, stored);
/** Weights that are gone do not come back, and the others do not change. */
const settled = (): boolean => true;

interface UpdateTreeProps {
  /** The answers to one problem of a step, in the order of sampling. */
  readonly group: readonly RecordedRollout[];
  /** The place in the group of the answer that is looked at, and its token. */
  readonly answer: number;
  readonly token: number;
  readonly onAnswer: (answer: number) => void;
  readonly onToken: (token: number) => void;
}

interface SeenProps extends UpdateTreeProps {
  readonly written: RecordedRollout;
  readonly question: UpdateQuestion;
  readonly seen: UpdateSeen;
  readonly textOf: (token: number) => string;
}

function Seen(props: SeenProps): ReactNode {
  const { group, answer, token, onAnswer, onToken, written, question, seen, textOf } = props;
  const { places, answers, moves, kept } = seen;
  const { from, to } = question;
  const largest = Math.max(...answers.map((move) => Math.abs(Math.log(factorOf(move))) || 0));
  const own = answers[answer];
  const most = movedMost(moves);
  return (
    <>
      <p className="note" aria-live="polite">
        {own && answerWords(own, written.advantage)}
        {kept.before !== kept.after &&
          ` The weights ${kept.before ? 'after' : 'before'} this step are no longer kept, so the drawing shows only one side.`}{' '}
        {most !== null && most !== token && (
          <LinkButton onClick={() => onToken(most)}>Show token {most + 1}, which moved most</LinkButton>
        )}
      </p>
      <p className="quiet">
        Tokens {from + 1} to {to} of {written.tokens.length}. The sampled tokens are in the first row. The
        left half of each box is the probability before the update, the right half the one after it. Greener
        means more likely.
      </p>
      <BranchTree
        places={places}
        sampled={written.tokens.slice(from, to)}
        from={from}
        at={token}
        textOf={textOf}
      />
      <ol
        className={`plain ${classes.group}`}
        aria-label="The answers to this problem"
        data-testid="update-group"
      >
        {group.map((each, i) => {
          const move = answers[i] ?? { before: NaN, after: NaN };
          const level = largest > 0 ? Math.log(factorOf(move)) / largest || 0 : 0;
          return (
            <li key={i}>
              <button
                type="button"
                className={classes.answer}
                aria-pressed={i === answer}
                onClick={() => onAnswer(i)}
                {...tokenLook(level)}
              >
                <RewardBadge
                  total={each.reward.total}
                  good={earned(each.reward.correct, each.reward.total)}
                />
                <span className="number">A {signed(each.advantage, 2)}</span>
                <span className={classes.text}>{each.text}</span>
                <span className="number">{factorText(move)}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </>
  );
}

export function UpdateTree({ group, answer, token, onAnswer, onToken }: UpdateTreeProps): ReactNode {
  const controller = useRun((state) => state.controller);
  const written = group[answer];
  const length = written?.tokens.length ?? 0;
  const { ref, width } = useElementSize();
  const shown = Math.max(2, Math.min(MOST_SHOWN, Math.floor(width / COLUMN)));
  const from = windowOf(token, shown);
  const measured = width > 0;
  const question = useMemo(
    (): UpdateQuestion | null =>
      length === 0 || !measured ? null : { group, answer, from, to: Math.min(length, from + shown) },
    [group, answer, from, shown, length, measured],
  );
  const asked = useLook(question, look, settled);
  if (written === undefined || length === 0) return <p>This answer has no tokens.</p>;
  return (
    <div ref={ref} className="stack" data-testid="update-tree">
      {asked.state === 'found' && question !== null ? (
        <Seen
          {...{ group, answer, token, onAnswer, onToken, written, question }}
          seen={asked.found}
          textOf={(id) => tokenText(controller, id).replace(/^ +$/, '␣')}
        />
      ) : (
        <Unanswered asked={asked} what="The probabilities before and after the update are computed" />
      )}
    </div>
  );
}
