/** The tokens that a run's model finds likeliest at a place of an answer. The model that wrote the answer is asked, or where its weights are gone that of now. */
import type { LikelyToken, KeptWeights } from '@rl-playground/engine/parts';
import { likeliestTokens } from '@rl-playground/engine/parts/tensors';
import type { Session } from './session.ts';

export interface NextToken {
  /** The tokens of the prompt and of the answer before the place. */
  readonly before: readonly number[];
  readonly token: number;
  /** The version of the weights that wrote the answer. */
  readonly version: number;
}

export interface LikeliestTokens {
  /** True if the weights that wrote the answer were asked. */
  readonly own: boolean;
  /** The step of the run now. */
  readonly step: number;
  /** The likeliest tokens, in descending order. */
  readonly likeliest: readonly LikelyToken[];
  /** The log probability that the weights give the token at the place. */
  readonly logprob: number;
}

const LIKELIEST = 5;

/**
 * It is called between steps. `stored` finds weights that the engine keeps no longer.
 * @throws Error where the run's weights are lost, or the place is behind the positions of the run.
 */
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
