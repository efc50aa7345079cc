/** What a run's model would write at a place of an answer: the model that wrote the answer, or where its weights are gone the one of now. */
import type { LikelyToken, KeptWeights } from '@rl-playground/engine/parts';
import { likeliestTokens } from '@rl-playground/engine/parts/tensors';
import type { Session } from './session.ts';

/** A place in an answer. */
export interface NextToken {
  /** Prompt and answer up to there. */
  readonly before: readonly number[];
  /** The token that stands there. */
  readonly token: number;
  /** Of the weights that wrote the answer. */
  readonly version: number;
}

export interface LikeliestTokens {
  /** Whether the weights that wrote the answer were asked. */
  readonly own: boolean;
  /** The run's step now. */
  readonly step: number;
  /** The likeliest first. */
  readonly likeliest: readonly LikelyToken[];
  /** log p, by the weights asked, of the token that stands there. */
  readonly logprob: number;
}

const LIKELIEST = 5;

/** `stored`: where weights are that the engine keeps no longer. Call between steps. @throws Error where the weights are gone or of no step, or the place is behind the positions of the run. */
export async function likeliestAt(
  session: Session,
  { before, token, version }: NextToken,
  stored: KeptWeights = () => Promise.resolve(null),
): Promise<LikeliestTokens> {
  const { config, step } = session;
  if (!session.intact) throw new Error('The weights were lost with the device.');
  const { temperature } = config;
  return session.withVersion(version, stored, async (model, own) => ({
    own,
    step,
    ...(await likeliestTokens(model, before, { token, temperature, count: LIKELIEST })),
  }));
}
