/** One answer token by token: coloured by a measure, with the numbers of one token and its terms in the loss. */
import { useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { Rollout } from '@rl-playground/run/loop';
import { Choice } from '../../ui/parts/Choice.tsx';
import { pointedAt } from '../../ui/draw/pointedAt.ts';
import { useRun } from '../../run/state/runStore.ts';
import { TokenFacts } from './TokenFacts.tsx';
import { TOKEN_MEASURES, tokenLevels, tokenLook, tokenText, type TokenMeasure } from './tokenMeasures.ts';
import { useTerms } from './useTerms.ts';
import classes from './tokens.module.css';

const KEYS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

export function TokenView({ rollout }: { rollout: Rollout }): ReactNode {
  const controller = useRun((state) => state.controller);
  const rollouts = useRun((state) => state.snapshot.rollouts);
  const [measure, setMeasure] = useState<TokenMeasure>('advantage');
  const [at, setAt] = useState(0);
  const terms = useTerms(
    rollouts,
    useMemo(() => [rollout], [rollout]),
  );
  const levels = tokenLevels(rollout, measure);
  const move = (event: KeyboardEvent<HTMLButtonElement>): void => {
    const by = KEYS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = Math.min(rollout.tokens.length - 1, Math.max(0, at + by));
    setAt(next);
    const token = event.currentTarget.parentElement?.children[next];
    if (token instanceof HTMLElement) token.focus();
  };
  return (
    <div className={`stack ${classes.view}`} data-testid="token-view">
      <Choice label="Colour by" value={measure} words={TOKEN_MEASURES} onChoose={setMeasure} />
      <div className={classes.tokens} role="group" aria-label="Tokens of the answer">
        {rollout.tokens.map((token, t) => (
          <button
            key={t}
            type="button"
            className={classes.token}
            tabIndex={t === at ? 0 : -1}
            aria-current={t === at}
            aria-label={`token ${t + 1}: ${tokenText(controller, token)}`}
            {...tokenLook(levels[t] ?? 0)}
            onKeyDown={move}
            onFocus={() => setAt(t)}
            onMouseMove={pointedAt(() => setAt(t))}
            onClick={() => setAt(t)}
          >
            {tokenText(controller, token)}
          </button>
        ))}
      </div>
      <TokenFacts answer={rollout} at={at} terms={terms.get(rollout) ?? null} />
    </div>
  );
}
