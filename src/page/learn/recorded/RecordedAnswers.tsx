/** Draws answers of the recorded run in the cards of answers, until the visitor's own run has some. */
import type { ReactNode } from 'react';
import { clock, percent } from '../../ui/text/format.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Asked } from '../../see/rollouts/ProblemCard.tsx';
import { Answer } from '../../see/stage/LiveAnswers.tsx';
import { WatchedRow } from '../../see/stage/WatchCard.tsx';
import { hideRecorded, recorded } from './play.ts';

/** Answers of one of its steps, and what the run came to. */
export function RecordedAnswers(): ReactNode {
  const { seconds, device, date, evaluations, telling } = recorded;
  const [first, last] = [evaluations[0], evaluations.at(-1)];
  return (
    <aside className="stack close" aria-label="Recorded run" data-testid="recorded">
      <p className="row apart">
        <span className="quiet">
          <b>Recorded run</b> of {date}, {device}: greedy accuracy {percent(first?.[2])} →{' '}
          {percent(last?.[2])} in {clock(seconds)}. Its answers at step {telling.step}:
        </span>
        <ActionButton size="compact-xs" variant="subtle" usable onClick={hideRecorded}>
          Hide
        </ActionButton>
      </p>
      <p className="note">
        <Asked question={telling.question} answer={telling.answer} />
      </p>
      <ul className="plain">
        {telling.answers.map((answer) => (
          <Answer key={answer.text} {...answer} />
        ))}
      </ul>
    </aside>
  );
}

/** One held-out problem through the recorded run. The card names it: the run that the visitor begins asks the same one. */
export function RecordedProblem(): ReactNode {
  const { answers } = recorded.problem;
  const rows = answers.filter(({ text }, i) => text !== answers[i - 1]?.text);
  return (
    <>
      <p className="quiet">Recorded run:</p>
      <ol className="plain" aria-label="Recorded answers, by step">
        {rows.map(({ step, text, read, correct }) => (
          <WatchedRow key={step} from={step} to={step} sample={{ text, extracted: read, correct }} />
        ))}
      </ol>
    </>
  );
}
