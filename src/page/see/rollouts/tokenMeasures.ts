/** The numbers of single tokens, and how a token is drawn. */
import type { CSSProperties } from 'react';
import type { RunController } from '@rl-playground/run/session';
import type { RecordedRollout } from '@rl-playground/run/records';
import { compact, percent } from '../../ui/text/format.ts';

/** The parts of an answer that its numbers come from. */
export type Measured = Pick<RecordedRollout, 'tokens' | 'advantages' | 'logprobs' | 'trained'>;

export const TOKEN_MEASURES = {
  advantage: 'advantage',
  logprob: 'log-probability',
  entropy: 'entropy',
  ratio: 'ratio to p_old',
  gap: 'sampler gap',
} as const;
export type TokenMeasure = keyof typeof TOKEN_MEASURES;

/** The numbers of a token: log q as it was drawn, and those of the trainer's first forward pass, null where the answer was left out of training. */
export interface TokenNumbers {
  readonly advantage: number;
  readonly samplerLogprob: number;
  readonly logprob: number | null;
  readonly entropy: number | null;
  readonly ratio: number | null;
  /** log q − log p. */
  readonly gap: number | null;
}

export function tokenNumbers({ advantages, logprobs, trained }: Measured, t: number): TokenNumbers {
  const samplerLogprob = logprobs[t] ?? NaN;
  const logprob = trained?.logprobs[t] ?? null;
  const old = trained?.oldLogprobs[t] ?? null;
  return {
    advantage: advantages[t] ?? NaN,
    samplerLogprob,
    logprob,
    entropy: trained?.entropies[t] ?? null,
    ratio: logprob === null || old === null ? null : Math.exp(logprob - old),
    gap: logprob === null ? null : samplerLogprob - logprob,
  };
}

/** The measure of each token from −1 to 1, as a share of the largest in the answer. A token without a colour has 0. */
export function tokenLevels(rollout: Measured, measure: TokenMeasure): number[] {
  const values = rollout.tokens.map((_, t) => {
    const { advantage, logprob, samplerLogprob, entropy, ratio, gap } = tokenNumbers(rollout, t);
    if (measure === 'advantage') return advantage;
    if (measure === 'logprob') return logprob ?? samplerLogprob;
    if (measure === 'entropy') return entropy ?? 0;
    return measure === 'ratio' ? Math.log(ratio ?? 1) : (gap ?? 0);
  });
  const largest = Math.max(...values.map(Math.abs));
  return values.map((value) => (largest > 0 ? value / largest : 0));
}

/** The text of a token as it is drawn: line breaks marked, and its id where it is no text by itself. */
export function tokenText(
  controller: { readonly start: Pick<RunController['start'], 'promptText'> } | null,
  token: number,
): string {
  const text = controller?.start.promptText([token]) ?? '';
  return text === '' ? `#${token}` : text.replaceAll('\n', '↵');
}

/** A probability in percent, with the digits that tell it from 0 and from 100%. */
export function probabilityText(logprob: number): string {
  const share = Math.exp(logprob);
  if (Number.isNaN(share) || (share >= 0.001 && share < 0.99)) return percent(share);
  return share >= 0.99 ? percent(share, 2) : `${compact(Number((100 * share).toPrecision(2)))}%`;
}

/** The colour of a token of that level. */
export function tokenLook(level: number): { readonly 'data-sign': string; readonly style: CSSProperties } {
  const style = { '--level': `${Math.round(45 * Math.abs(level))}%` } as CSSProperties;
  return { 'data-sign': level < 0 ? 'below' : 'above', style };
}
