/** One answer token by token: coloured by a measure, with the numbers of the token that is pointed at and its terms in the loss. */
import { NativeSelect } from '@mantine/core';
import { useEffect, useState, type CSSProperties, type KeyboardEvent, type ReactNode } from 'react';
import type { Rollout } from '@rl-playground/run/loop';
import type { TokenTerms } from '@rl-playground/run/inspect/terms';
import { pointedAt } from '../../ui/draw/pointedAt.ts';
import { useRun } from '../../run/state/runStore.ts';
import { TokenFacts } from './TokenFacts.tsx';
import { isTokenMeasure, TOKEN_MEASURES, tokenLevels, type TokenMeasure } from './tokenMeasures.ts';
import classes from './tokens.module.css';

/** The terms of this answer in its step's loss; null while they are computed, and where it was left out. */
function useTerms(rollout: Rollout): TokenTerms | null {
  const config = useRun((state) => state.snapshot.config);
  const rollouts = useRun((state) => state.snapshot.rollouts);
  const [terms, setTerms] = useState<TokenTerms | null>(null);
  useEffect(() => {
    let wanted = true;
    const compute = async (): Promise<void> => {
      if (config === null || !rollouts.includes(rollout)) return;
      const { tokenTerms } = await import('@rl-playground/run/inspect/terms');
      const all = await tokenTerms(rollouts, config, new Set([rollout]));
      if (wanted) setTerms(all[rollouts.indexOf(rollout)] ?? null);
    };
    void compute();
    return () => {
      wanted = false;
    };
  }, [config, rollouts, rollout]);
  return terms;
}

const KEYS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

export function TokenView({ rollout }: { rollout: Rollout }): ReactNode {
  const controller = useRun((state) => state.controller);
  const [measure, setMeasure] = useState<TokenMeasure>('advantage');
  const [at, setAt] = useState(0);
  const terms = useTerms(rollout);
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
    <div className={classes.view} data-testid="token-view">
      <NativeSelect
        size="xs"
        label="Colour by"
        value={measure}
        onChange={({ currentTarget: { value } }) => {
          if (isTokenMeasure(value)) setMeasure(value);
        }}
        data={Object.entries(TOKEN_MEASURES).map(([value, label]) => ({ value, label }))}
      />
      <div className={classes.tokens} role="group" aria-label="Tokens of the answer">
        {rollout.tokens.map((token, t) => {
          const text = controller?.start.promptText([token]) ?? '';
          const level = levels[t] ?? 0;
          return (
            <button
              key={t}
              type="button"
              className={classes.token}
              tabIndex={t === at ? 0 : -1}
              aria-current={t === at}
              aria-label={`token ${t + 1}: ${text === '' ? String(token) : text}`}
              data-sign={level < 0 ? 'below' : 'above'}
              style={{ '--level': `${Math.round(45 * Math.abs(level))}%` } as CSSProperties}
              onKeyDown={move}
              onFocus={() => setAt(t)}
              onMouseMove={pointedAt(() => setAt(t))}
              onClick={() => setAt(t)}
            >
              {text === '' ? `#${token}` : text.replaceAll('\n', '↵')}
            </button>
          );
        })}
      </div>
      <TokenFacts answer={rollout} at={at} terms={terms} />
    </div>
  );
}
