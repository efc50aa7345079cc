/** Terms of the field that the page uses without explaining them. */

const MEANINGS: Readonly<Record<string, string>> = {
  KL: 'Kullback–Leibler divergence: how far the probabilities of one model are from those of another. 0 where they are the same.',
  entropy:
    'How evenly the model spreads its probability over the possible next tokens, in nats. 0 where one token has all of it.',
  advantage:
    'How much better an answer did than what was expected, usually the mean of its group. Above 0 it is made more likely, below 0 less.',
  'pass@k': 'Share of problems with at least one right answer among k tries.',
  nats: 'Unit of information, by the natural logarithm: 1 nat is 1.44 bits. Where two log-probabilities differ by 0.01 nats, the probabilities differ by 1%.',
  k1: 'Estimate of the KL divergence from one sampled token: log p − log p_ref. Right on average, but noisy and of either sign.',
  k2: 'Estimate of the KL divergence from one sampled token: half the square of log p − log p_ref. Never negative, a little biased.',
  k3: 'Estimate of the KL divergence from one sampled token: p_ref/p − 1 − log(p_ref/p). Right on average, and never negative.',
  p_old: 'The probability of a token before the update; the ratio divides the new probability by it.',
  p_ref: 'The probability of a token by the reference model, usually the one that the run began from.',
  ratio:
    'The probability of a token by the weights that are trained, over its probability when the answer was sampled. 1 where no update has changed it.',
  'on-policy': 'The answers that are learned from were sampled by the weights that are being trained.',
  'held-out': 'Kept apart for evaluation: training never asks these problems.',
  greedy: 'Always the most likely token, nothing at random: temperature 0.',
  logits: 'What the model computes for each token of its vocabulary; softmax makes probabilities of them.',
  GAE: 'Generalised advantage estimation: advantages of single tokens from rewards and the predictions of a value head.',
};

const MEANING_OF = new Map(Object.entries(MEANINGS).map(([term, meaning]) => [term.toLowerCase(), meaning]));
/** The pattern also finds a term that begins a sentence. */
const PATTERN = new RegExp(`(?<![\\w-])(${Object.keys(MEANINGS).join('|')})(?![\\w-])`, 'i');

export interface TextPart {
  readonly text: string;
  /** The meaning of the term; null for text between terms. */
  readonly meaning: string | null;
}

/** Cuts a text at the terms that have a meaning here. Each is a term the first time only. */
export function glossed(text: string): TextPart[] {
  const seen = new Set<string>();
  return text
    .split(PATTERN)
    .map((part) => {
      const term = part.toLowerCase();
      const meaning = seen.has(term) ? null : (MEANING_OF.get(term) ?? null);
      seen.add(term);
      return { text: part, meaning };
    })
    .filter((part) => part.text !== '');
}
