/** The numbers of single tokens that an answer can be coloured by. */
import type { RecordedRollout } from '@rl-playground/run/records';

/** Of an answer what its numbers come from. */
export type Measured = Pick<RecordedRollout, 'tokens' | 'advantages' | 'logprobs' | 'trained'>;

export const TOKEN_MEASURES = {
  advantage: 'advantage',
  logprob: 'log-probability',
  entropy: 'entropy',
  ratio: 'ratio to p_old',
  gap: 'sampler gap',
} as const;
export type TokenMeasure = keyof typeof TOKEN_MEASURES;

export const isTokenMeasure = (text: string): text is TokenMeasure => Object.hasOwn(TOKEN_MEASURES, text);

/** Of token t: log q as it was drawn; the others are of the trainer's first forward pass, null where the answer was left out of training. */
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

/** Of the measure, from −1 to 1, as a share of the largest in the answer; 0 draws no colour, and what is unknown has none. */
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
