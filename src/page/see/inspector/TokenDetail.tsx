/** The numbers of one token, its loss as a formula, and what the model would have written in its place. */
import { useDebouncedValue } from '@mantine/hooks';
import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import type { TokenTerms } from '@rl-playground/run/inspect/terms';
import type { RecordedRollout } from '@rl-playground/run/records';
import { TokenFacts } from '../rollouts/TokenFacts.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { tokenText } from '../rollouts/tokenMeasures.ts';
import classes from './inspector.module.css';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { messageOf } from '@rl-playground/base/errors';
import type { RunConfig } from '@rl-playground/run/settings';
import type { LikeliestTokens, NextToken } from '@rl-playground/run/session';
import { compact, percent } from '../../ui/text/format.ts';
import { isBusy } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useLoaded } from '../../ui/draw/useLoaded.ts';

/** A probability in words. Small ones keep their digits, because 0.0% would read as none at all. */
const shareText = (logprob: number): string => {
  const share = Math.exp(logprob);
  return share >= 0.001 ? percent(share) : compact(share);
};

interface Answered {
  readonly asked: NextToken;
  /** The likeliest tokens; null while the run is not on the device. */
  readonly found: LikeliestTokens | null;
  readonly problem: string | null;
}

/** Milliseconds that the pointer rests on a token before the model is asked for it. */
const RESTS = 120;

export function Likeliest({ answer, token }: { answer: RecordedRollout; token: number }): ReactNode {
  const controller = useRun((state) => state.controller);
  const config = useRun((state) => state.snapshot.config);
  const at = useRun((state) => state.snapshot.step);
  const busy = useRun((state) => isBusy(state.snapshot.phase));
  const [answered, setAnswered] = useState<Answered | null>(null);
  const [ask] = useState(() => async (question: NextToken, settings?: RunConfig): Promise<void> => {
    try {
      const { controller, kept } = useRun.getState();
      const found =
        (await controller?.look('likeliest', settings ?? null, question, kept?.weightsOf)) ?? null;
      setAnswered({ asked: question, found, problem: null });
    } catch (error) {
      setAnswered({ asked: question, found: null, problem: messageOf(error) });
    }
  });
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
  // The model changes with each step.
  const settled = current?.found?.own === true;
  const [rested] = useDebouncedValue(asked, RESTS);
  useEffect(() => {
    if (rested !== null && rested === asked && at >= 0 && !settled) void ask(rested);
  }, [rested, asked, at, ask, settled]);
  if (asked === null || config === null) return null;
  if (current?.problem != null) return <p role="alert">The model could not be asked: {current.problem}</p>;
  if (current !== null && current.found === null)
    return (
      <p>
        The likeliest tokens come from the model, which is not on the device yet.{' '}
        <ActionButton size="compact-xs" usable={!busy} onClick={() => void ask(asked, config)}>
          Ask the model
        </ActionButton>
      </p>
    );
  if (current === null || current.found === null)
    return (
      <p className="quiet">{busy ? 'The page will ask the model after this step…' : 'Asking the model…'}</p>
    );
  const { own, likeliest, logprob, step } = current.found;
  return (
    <div data-testid="likeliest">
      <p className="quiet">
        {own
          ? 'The likeliest tokens here for the model that wrote the answer. It gave the token above '
          : `The likeliest tokens here for the model as it is now, after step ${step}: the weights that wrote the answer are no longer kept. It gives the token above `}
        {shareText(logprob)}.
      </p>
      <ol className="plain row">
        {likeliest.map((each) => (
          <li key={each.token} style={{ fontWeight: each.token === id ? 650 : undefined }}>
            <code>{tokenText(controller, each.token)}</code>{' '}
            <span className="number">{shareText(each.logprob)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Formula({ answer, token, terms }: TokenDetailProps & { terms: TokenTerms }): ReactNode {
  const config = useRun((state) => state.snapshot.config);
  const trace = useCallback(async () => {
    if (config === null) return null;
    const { TracedLoss } = await import('@rl-playground/run/inspect/terms');
    return TracedLoss.of(answer, terms, config);
  }, [answer, terms, config]);
  const { value: loss, stale } = useLoaded(trace);
  if (stale || loss === null) return null;
  return (
    <dl className={classes.formula} data-testid="formula">
      {loss.at(token, compact).map(({ name, symbols, numbers, value }) => (
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
  readonly token: number;
  readonly step: number;
  readonly terms: TokenTerms | null;
}

export function TokenDetail({ answer, token, step, terms }: TokenDetailProps): ReactNode {
  const controller = useRun((state) => state.controller);
  const id = answer.tokens[token];
  if (id === undefined) return null;
  return (
    <section className={`stack ${classes.detail}`} aria-label="The token">
      <p>
        Token {token + 1} of step {step}: <code>{tokenText(controller, id)}</code>
      </p>
      <TokenFacts answer={answer} at={token} terms={terms} />
      {terms !== null && <Formula answer={answer} token={token} step={step} terms={terms} />}
      <Likeliest answer={answer} token={token} />
    </section>
  );
}
