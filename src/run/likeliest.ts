/** What a run's model, as it is now, would write at a place of an answer. */
import { likeliestTokens, type LikelyToken } from '../rl/engine/likeliest.ts';
import type { Session } from './session.ts';

/** A place in an answer. */
export interface NextToken {
  /** Prompt and answer up to there. */
  readonly before: readonly number[];
  /** The token that stands there. */
  readonly token: number;
}

export interface LikeliestTokens {
  /** The step whose weights were asked. */
  readonly step: number;
  /** The likeliest first. */
  readonly likeliest: readonly LikelyToken[];
  /** log p now of the token that stands there. */
  readonly logprob: number;
}

const LIKELIEST = 5;

/** Call between steps. @throws Error where the weights are gone or of no step, or the place is behind the positions of the run. */
export async function likeliestNow(session: Session, { before, token }: NextToken): Promise<LikeliestTokens> {
  const { engine, config, step } = session;
  if (!session.intact) throw new Error('The weights are gone with their device.');
  const { temperature } = config;
  return engine.inTurn('likeliest', async () => ({
    step,
    ...(await likeliestTokens(engine.policy, before, { token, temperature, count: LIKELIEST })),
  }));
}
