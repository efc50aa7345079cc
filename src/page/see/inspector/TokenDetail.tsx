/** All that is known of the token that is looked at. */
import type { ReactNode } from 'react';
import type { TokenTerms } from '../../../run/inspect/tokenTerms.ts';
import type { RecordedRollout } from '../../../run/records/rolloutRecord.ts';
import { TokenFacts } from '../rollouts/TokenFacts.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { Formula } from './Formula.tsx';
import { Likeliest } from './Likeliest.tsx';
import { tokenText } from './tokenText.ts';
import classes from './inspector.module.css';

interface TokenDetailProps {
  readonly answer: RecordedRollout;
  /** Index of the token. */
  readonly token: number;
  readonly step: number;
  readonly terms: TokenTerms | null;
}

export function TokenDetail({ answer, token, step, terms }: TokenDetailProps): ReactNode {
  const controller = useRun((state) => state.controller);
  const id = answer.tokens[token];
  if (id === undefined) return null;
  return (
    <section className={classes.detail} aria-label="The token">
      <p>
        Token {token + 1} of step {step}: <code>{tokenText(controller, id)}</code>
      </p>
      <TokenFacts answer={answer} at={token} terms={terms} />
      {terms !== null && <Formula answer={answer} token={token} terms={terms} />}
      <Likeliest answer={answer} token={token} />
    </section>
  );
}
