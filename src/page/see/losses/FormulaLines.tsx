/** A loss at one token: each part in symbols, then with the token's numbers, then its value. */
import type { ReactNode } from 'react';
import type { TracedLoss } from '@rl-playground/run/inspect/terms';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { compact } from '../../ui/text/format.ts';
import classes from './losses.module.css';

interface FormulaLinesProps {
  readonly lines: ReturnType<TracedLoss['at']>;
  readonly testId?: string;
}

export function FormulaLines({ lines, testId }: FormulaLinesProps): ReactNode {
  return (
    <dl className={classes.formula} data-testid={testId}>
      {lines.map(({ name, symbols, numbers, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span>
              = <Glossed text={symbols} />
            </span>
            <span>= {numbers}</span>
            <span className="number">= {compact(value)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
