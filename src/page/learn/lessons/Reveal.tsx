/** What the runs of a lesson showed, held against the prediction, and why. */
import type { ReactNode } from 'react';
import { clock } from '../../ui/text/format.ts';
import { type ArmRecord, type Lesson, verdictText } from './content/lesson.ts';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import tables from '../../ui/style/table.module.css';
import classes from './lessons.module.css';

interface RevealProps {
  readonly lesson: Lesson;
  readonly records: readonly ArmRecord[];
  readonly prediction: string;
  /** What the runs took. */
  readonly seconds: number;
}

export function Reveal({ lesson, records, prediction, seconds }: RevealProps): ReactNode {
  const { outcome, rows, said } = lesson.find(records);
  const several = lesson.arms.length > 1;
  return (
    <section className={classes.reveal} aria-label="What the runs showed" data-testid="lesson-reveal">
      <p
        role="status"
        className={outcome === prediction ? classes.right : classes.other}
        data-testid="lesson-verdict"
        data-outcome={outcome ?? 'none'}
      >
        {verdictText(lesson, prediction, outcome)}
      </p>
      <table className={tables.table}>
        <caption className="visually-hidden">What was measured</caption>
        {several && (
          <thead>
            <tr>
              <th scope="col">Measured</th>
              {lesson.arms.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map(({ what, values }, i) => (
            <tr key={i}>
              <th scope="row">{what}</th>
              {values.map((value, arm) => (
                <td key={arm} className="number">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {said.map((text) => (
        <p key={text}>
          <Glossed text={text} />
        </p>
      ))}
      <h3 className={classes.heading}>Why</h3>
      {lesson.why.map((text) => (
        <p key={text}>
          <Glossed text={text} />
        </p>
      ))}
      <p className="quiet">
        Made on this machine in {clock(seconds)} with seed 0. {several ? 'The runs are' : 'The run is'} in the
        list of runs, by the lesson’s name.
      </p>
    </section>
  );
}
