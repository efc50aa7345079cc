/** The numbers of one token, its loss as a formula, and what the model would have written in its place. */
import { useCallback, useMemo, type ReactNode } from 'react';
import type { TokenTerms } from '@rl-playground/run/inspect/terms';
import type { RecordedRollout } from '@rl-playground/run/records';
import type { LikeliestTokens, NextToken } from '@rl-playground/run/session';
import { useRun } from '../../run/state/runStore.ts';
import { useLoaded } from '../../ui/draw/useLoaded.ts';
import { compact } from '../../ui/text/format.ts';
import { FormulaLines } from '../losses/FormulaLines.tsx';
import { TokenFacts } from '../rollouts/TokenFacts.tsx';
import { probabilityText, tokenText } from '../rollouts/tokenMeasures.ts';
import { Unanswered } from '../rollouts/Unanswered.tsx';
import { useLook, type Look } from '../rollouts/useLook.ts';
import classes from './inspector.module.css';

const look: Look<NextToken, LikeliestTokens> = (controller, settings, question, stored) =>
  controller.look('likeliest', settings, question, stored);

export function Likeliest({ answer, token }: { answer: RecordedRollout; token: number }): ReactNode {
  const controller = useRun((state) => state.controller);
  const hasRun = useRun((state) => state.snapshot.config !== null);
  const id = answer.tokens[token];
  const question = useMemo(
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
  // The model of now changes with each step.
  const asked = useLook(question, look, ({ own }) => own);
  if (question === null || !hasRun) return null;
  if (asked.state !== 'found') return <Unanswered asked={asked} what="The most likely tokens are computed" />;
  const { own, likeliest, logprob, step } = asked.found;
  return (
    <div data-testid="likeliest">
      <p className="quiet">
        {own
          ? 'The most likely tokens here, from the model that wrote the answer. It gave the token above '
          : `The most likely tokens here, from the model as it is now, after step ${step}: the weights that wrote the answer are no longer kept. It gives the token above `}
        {probabilityText(logprob)}.
      </p>
      <ol className="plain row">
        {likeliest.map((each) => (
          <li key={each.token} style={{ fontWeight: each.token === id ? 650 : undefined }}>
            <code>{tokenText(controller, each.token)}</code>{' '}
            <span className="number">{probabilityText(each.logprob)}</span>
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
  return <FormulaLines lines={loss.at(token, compact)} testId="formula" />;
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
