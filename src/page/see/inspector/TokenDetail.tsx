/** All that is known of the token that is looked at. */
import { type ReactNode, useEffect, useState, useMemo, useRef } from 'react';
import type { TokenTerms, TracedLoss } from '@rl-playground/run/inspect/terms';
import type { RecordedRollout } from '@rl-playground/run/records';
import { TokenFacts } from '../rollouts/TokenFacts.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { tokenText } from './cursor.ts';
import classes from './inspector.module.css';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { messageOf } from '@rl-playground/base/errors';
import type { RunConfig } from '@rl-playground/run/settings';
import type { LikeliestTokens, NextToken } from '@rl-playground/run/session';
import { compact, percent } from '../../ui/text/format.ts';
import { isBusy } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';

/** A share, which is small for most tokens: 0.0% would be none at all. */
const shareText = (logprob: number): string => {
  const share = Math.exp(logprob);
  return share >= 0.001 ? percent(share) : compact(share);
};

interface Answered {
  readonly asked: NextToken;
  /** Null where the run is not on the device. */
  readonly found: LikeliestTokens | null;
  readonly problem: string | null;
}

/** One question at a time, and of those that come meanwhile the last: who moves the pointer over an answer asks for each of its tokens. */
function useLikeliest(): {
  readonly answered: Answered | null;
  readonly ask: (asked: NextToken, config?: RunConfig) => void;
} {
  const [answered, setAnswered] = useState<Answered | null>(null);
  const line = useRef<{ asking: boolean; next: (() => Promise<void>) | null }>({ asking: false, next: null });
  const [ask] = useState(() => (asked: NextToken, config?: RunConfig): void => {
    const turn = async (): Promise<void> => {
      const { controller, kept } = useRun.getState();
      try {
        const found = (await controller?.look('likeliest', config ?? null, asked, kept?.weightsOf)) ?? null;
        setAnswered({ asked, found, problem: null });
      } catch (error) {
        setAnswered({ asked, found: null, problem: messageOf(error) });
      }
    };
    const serve = async (): Promise<void> => {
      line.current.asking = true;
      for (let { next } = line.current; next !== null; { next } = line.current) {
        line.current.next = null;
        await next();
      }
      line.current.asking = false;
    };
    line.current.next = turn;
    if (!line.current.asking) void serve();
  });
  return { answered, ask };
}

interface LikeliestProps {
  readonly answer: RecordedRollout;
  /** Index of the token. */
  readonly token: number;
}

export function Likeliest({ answer, token }: LikeliestProps): ReactNode {
  const controller = useRun((state) => state.controller);
  const config = useRun((state) => state.snapshot.config);
  const at = useRun((state) => state.snapshot.step);
  const busy = useRun((state) => isBusy(state.snapshot.phase));
  const { answered, ask } = useLikeliest();
  const id = answer.tokens[token];
  const asked = useMemo(
    (): NextToken | null =>
      id === undefined || answer.promptIds.length === 0
        ? null
        : {
            before: [...answer.promptIds, ...answer.tokens.slice(0, token)],
            token: id,
            version: answer.policyVersion,
          },
    [answer, token, id],
  );
  const current = answered?.asked === asked ? answered : null;
  // The model of now is another one after each step.
  const settled = current?.found?.own === true;
  useEffect(() => {
    if (asked !== null && at >= 0 && !settled) ask(asked);
  }, [asked, at, ask, settled]);
  if (asked === null || config === null) return null;
  if (current?.problem != null) return <p role="alert">The model could not be asked: {current.problem}</p>;
  if (current !== null && current.found === null)
    return (
      <p>
        The likeliest tokens come from the model, which is not on the device yet.{' '}
        <ActionButton size="compact-xs" usable={!busy} onClick={() => ask(asked, config)}>
          Ask the model
        </ActionButton>
      </p>
    );
  if (current === null || current.found === null)
    return <p className="quiet">{busy ? 'The model is asked after this step…' : 'The model is asked…'}</p>;
  const { own, likeliest, logprob, step } = current.found;
  return (
    <div data-testid="likeliest">
      <p className="quiet">
        {own
          ? 'The likeliest tokens here for the model that wrote the answer. It gave the token above '
          : `The likeliest tokens here for the model as it is now, after step ${step}: the weights that wrote the answer are no longer kept. It gives the token above `}
        {shareText(logprob)}.
      </p>
      <ol className={classes.likeliest}>
        {likeliest.map((each) => (
          <li key={each.token} data-own={each.token === id || undefined}>
            <code>{tokenText(controller, each.token)}</code>{' '}
            <span className="number">{shareText(each.logprob)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

interface FormulaProps {
  readonly answer: RecordedRollout;
  /** Index of the token. */
  readonly token: number;
  readonly terms: TokenTerms;
}

function Formula({ answer, token, terms }: FormulaProps): ReactNode {
  const config = useRun((state) => state.snapshot.config);
  const [traced, setTraced] = useState<{ of: TokenTerms; loss: TracedLoss } | null>(null);
  useEffect(() => {
    let wanted = true;
    const trace = async (): Promise<void> => {
      if (config === null) return;
      const module = await import('@rl-playground/run/inspect/terms');
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
