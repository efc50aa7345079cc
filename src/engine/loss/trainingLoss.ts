/** A loss as updates apply it: the term of each token, what becomes of the terms, and what else is learned beside them. */
import type { EntropyTerms } from './entropyTerms.ts';
import type { RatioLevel, TokenLoss } from './inputs.ts';
import type { Reduction } from './lossRows.ts';
import type { RatioBounds } from './losses.ts';
import type { ValueTerm } from './valueLoss.ts';

/** Outside of the bounds a ratio is clipped: the one that carries the gradient, or under CISPO the weight of it. */
export interface Clipping extends RatioBounds {
  readonly of: 'ratio' | 'weight';
}

export interface LossOptions extends EntropyTerms {
  readonly tokenLoss: TokenLoss;
  readonly reduction: Reduction;
  /** L_max, tokens. */
  readonly maxTokens: number;
  readonly temperature: number;
  readonly ratioLevel: RatioLevel;
  /** Null where the loss clips nothing. */
  readonly clip: Clipping | null;
  readonly oldLogprobs: 'sampler' | 'trainer';
  /** What a value head learns beside the policy; null where there is none. */
  readonly value: Omit<ValueTerm, 'scale'> | null;
}
