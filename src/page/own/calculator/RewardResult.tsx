import type { ReactNode } from 'react';
import type { MatchedBy, Problem } from '@rl-playground/tasks/parts';
import { RightOrWrong } from '../../ui/parts/words.tsx';
import { fixed } from '../../ui/text/format.ts';
import type { Calculation } from './useReward.ts';
import tables from '../../ui/style/table.module.css';
import controls from '../../run/controls/controls.module.css';
import classes from './calculator.module.css';

const FOUND_BY: Readonly<Record<MatchedBy, string>> = {
  tag: 'between the tags',
  phrase: 'after words such as “the answer is”',
  equals: 'after the last equals sign',
  last: 'as the last one of its kind',
  none: 'nowhere',
};

/** A number with two decimals, or more if it is small. */
function amount(value: number): string {
  const size = Math.abs(value);
  return size !== 0 && size < 0.005 ? value.toExponential(1) : fixed(value, 3).replace(/0$/, '');
}

/** Every part of a reward, with reasons. Screen readers say it when it changes. */
export function RewardResult({
  calculation,
  problem,
  program,
}: {
  calculation: Calculation;
  problem: Problem;
  /** A program of the user scored the answer; it may not tell what it read. */
  program: boolean;
}): ReactNode {
  const { reward, error, logs, pending } = calculation;
  return (
    <div
      className={`stack ${classes.result}`}
      role="status"
      aria-live="polite"
      aria-busy={pending}
      data-testid="calculator-result"
    >
      {error !== null && (
        <p className="note bad" data-testid="calculator-error">
          {error}
        </p>
      )}
      {reward === null && error === null && <p className="quiet">Scoring…</p>}
      {reward !== null && error === null && (
        <>
          <table className={`${tables.table} ${tables.figures}`}>
            <caption className="visually-hidden">The parts of the reward</caption>
            <tbody>
              {Object.entries(reward.parts).map(([name, value]) => (
                <tr key={name}>
                  <th scope="row">{name.replaceAll('_', ' ')}</th>
                  <td className="number">{amount(value)}</td>
                </tr>
              ))}
              <tr className={tables.total}>
                <th scope="row">Reward</th>
                <td className="number" data-testid="calculator-total">
                  {amount(reward.total)}
                </td>
              </tr>
            </tbody>
          </table>
          <dl className={controls.example}>
            {(reward.extracted !== null || !program) && (
              <>
                <dt>Read as the answer</dt>
                <dd data-testid="calculator-extracted">
                  {reward.extracted === null ? (
                    'nothing'
                  ) : (
                    <code>{reward.extracted === '' ? '(empty text)' : reward.extracted}</code>
                  )}
                  {reward.matchedBy !== undefined && `, found ${FOUND_BY[reward.matchedBy]}`}
                </dd>
              </>
            )}
            <dt>Right</dt>
            <dd data-testid="calculator-correct">
              <RightOrWrong right={reward.correct}>{reward.correct ? 'yes' : 'no'}</RightOrWrong>
              {!reward.correct && problem.answer.length <= 80 && `; one right answer is ${problem.answer}`}
            </dd>
            <dt>Format</dt>
            <dd data-testid="calculator-format">
              <RightOrWrong right={reward.format}>{reward.format ? 'right' : 'wrong'}</RightOrWrong>
            </dd>
          </dl>
        </>
      )}
      {logs.length > 0 && (
        <pre
          className={`sunken mono ${controls.asked}`}
          aria-label="Console"
          data-testid="calculator-console"
        >
          {logs.join('\n')}
        </pre>
      )}
    </div>
  );
}
