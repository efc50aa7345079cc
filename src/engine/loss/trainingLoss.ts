/** A loss as updates apply it: the term of each token, the treatment of the terms, and what else is learned beside them. */
import type { EntropyTerms } from './entropyTerms.ts';
import type { RatioLevel, TokenLoss } from './inputs.ts';
import type { Reduction } from './lossRows.ts';
import type { RatioBounds } from './losses.ts';
import type { ValueTerm } from './valueLoss.ts';

/** The bounds outside of which a ratio is clipped: the ratio that carries the gradient, or under CISPO the weight of the gradient. */
export interface Clipping extends RatioBounds {
  readonly of: 'ratio' | 'weight';
}

export interface LossOptions extends EntropyTerms {
  readonly tokenLoss: TokenLoss;
  readonly reduction: Reduction;
  /** L_max, in tokens. */
  readonly maxTokens: number;
  readonly temperature: number;
  readonly ratioLevel: RatioLevel;
  readonly clip: Clipping | null;
  readonly oldLogprobs: 'sampler' | 'trainer';
  /** The term that a value head learns from beside the policy; null if there is none. */
  readonly value: Omit<ValueTerm, 'scale'> | null;
}
