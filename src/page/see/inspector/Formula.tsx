/** The loss at one token, written from the ops that compute it: in symbols, with the token's numbers, and what comes of them. */
import { useEffect, useState, type ReactNode } from 'react';
import type { TracedLoss } from '../../../run/inspect/formula.ts';
import type { TokenTerms } from '../../../run/inspect/tokenTerms.ts';
import type { RecordedRollout } from '../../../run/records/rolloutRecord.ts';
import { compact } from '../../ui/text/format.ts';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { useRun } from '../../run/state/runStore.ts';
import classes from './inspector.module.css';

interface FormulaProps {
  readonly answer: RecordedRollout;
  /** Index of the token. */
  readonly token: number;
  readonly terms: TokenTerms;
}

export function Formula({ answer, token, terms }: FormulaProps): ReactNode {
  const config = useRun((state) => state.snapshot.config);
  const [traced, setTraced] = useState<{ of: TokenTerms; loss: TracedLoss } | null>(null);
  useEffect(() => {
    let wanted = true;
    const trace = async (): Promise<void> => {
      if (config === null) return;
      const module = await import('../../../run/inspect/formula.ts');
      const loss = await module.TracedLoss.of(answer, terms, config);
      if (wanted) setTraced({ of: terms, loss });
    };
    void trace();
    return () => {
      wanted = false;
    };
  }, [answer, terms, config]);
  if (traced?.of !== terms) return null;
  return (
    <dl className={classes.formula} data-testid="formula">
      {traced.loss.at(token, compact).map(({ name, symbols, numbers, value }) => (
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
