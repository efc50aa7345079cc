/** The gradient of a step by block, measured anew with the weights before its update. Nothing of the run changes by it. */
import { breatheIfDue, type KeptWeights } from '@rl-playground/engine/parts';
import { gradientAt } from '@rl-playground/engine/parts/tensors';
import { byBlock } from '../inspect/modelBlocks.ts';
import { lossOptions } from '../loop/lossOptions.ts';
import type { LossAnswer } from '../inspect/tokenTerms.ts';
import type { Rollout } from '../rollouts/rollout.ts';
import type { Session } from './session.ts';

/** All answers of a step. */
export type GradientQuestion = readonly (LossAnswer & Pick<Rollout, 'policyVersion' | 'policyAge'>)[];

/** L2 norms before any clipping. */
export interface GradientSeen {
  readonly norm: number;
  /** The norm of each block, by its `blockKey`. */
  readonly blocks: ReadonlyMap<string, number>;
}

/** Padded tokens that go through the model at once: few, because the page waits for each kernel of theirs. */
const AT_ONCE = 512;

/**
 * Resolves to the gradient of the step's answers as one update; `norm` is null if those weights are no longer kept. It is called between
 * steps, and `stored` finds weights that the engine keeps no longer. @throws Error where the run's weights are lost.
 */
export async function gradientSeen(
  session: Session,
  answers: GradientQuestion,
  stored: KeptWeights = () => Promise.resolve(null),
): Promise<GradientSeen | { readonly norm: null }> {
  if (!session.intact) throw new Error('The weights were lost with the device.');
  const learned = answers.flatMap(({ trained, logprobs, ...answer }) =>
    trained === null
      ? []
      : [
          {
            ...answer,
            samplerLogprobs: logprobs,
            oldLogprobs: trained.oldLogprobs,
            referenceLogprobs:
              trained.referenceLogprobs.length > 0 ? trained.referenceLogprobs : trained.logprobs,
            masked: !trained.counted,
          },
        ],
  );
  const [first] = learned;
  if (first === undefined) return { norm: null };
  return session.withVersion(first.policyVersion + first.policyAge, stored, async (model, own) => {
    if (!own) return { norm: null };
    const parts = { microBatchTokens: AT_ONCE, breathe: breatheIfDue };
    const squares = byBlock(await gradientAt(model, learned, lossOptions(session.config), parts));
    const total = [...squares.values()].reduce((sum, square) => sum + square, 0);
    const blocks = new Map([...squares].map(([key, square]) => [key, Math.sqrt(square)]));
    return { norm: Math.sqrt(total), blocks };
  });
}
