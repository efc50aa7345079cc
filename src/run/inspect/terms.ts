/** The loss of one token, term by term. */
export { TracedLoss } from './formula.ts';
export { type CurvePoint, LossView } from './lossView.ts';
export { type LossAnswer, type TokenTerms, tokenTerms } from './tokenTerms.ts';
