/** The numbers of one token: those of the sampler, those of the trainer, and its terms in the loss. */
import type { ReactNode } from 'react';
import { updatesPerBatch } from '@rl-playground/run/settings';
import type { TokenTerms } from '@rl-playground/run/inspect/terms';
import { compact } from '../../ui/text/format.ts';
import { Facts } from '../../ui/parts/words.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { tokenNumbers, type Measured } from './tokenMeasures.ts';

interface TokenFactsProps {
  readonly answer: Measured;
  readonly at: number;
  /** The terms of the loss; null while they are computed, and if the answer was left out of the update. */
  readonly terms: TokenTerms | null;
}

export function TokenFacts({ answer, at, terms }: TokenFactsProps): ReactNode {
  const updates = useRun(({ snapshot: { config } }) => (config === null ? 1 : updatesPerBatch(config)));
  const { advantage, samplerLogprob, logprob, entropy, ratio, gap } = tokenNumbers(answer, at);
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['token id', String(answer.tokens[at] ?? '')],
    ['advantage A', compact(advantage)],
    ['log q, sampled', compact(samplerLogprob)],
    ['log p, trained', compact(logprob)],
    ['entropy', compact(entropy)],
    ['ratio ρ', compact(ratio)],
    ['log q − log p', compact(gap)],
    ...(terms === null
      ? []
      : ([
          ['loss term', compact(terms.policy[at])],
          ['KL term', compact(terms.kl[at])],
          ['weight w', compact(terms.weight)],
          ...(terms.entropyWeights[at] === 0
            ? []
            : ([['entropy bonus', compact(terms.entropy[at])]] as const)),
          ['adds to the loss', compact(terms.added[at])],
          ['clipped', terms.clipped[at] === true ? 'yes' : 'no'],
        ] as const)),
  ];
  return (
    <>
      <Facts entries={facts} testId="token-numbers" live />
      {updates > 1 && (
        <p className="quiet" data-testid="which-update">
          A step has {updates} updates. These numbers belong to the first one that used this answer; w is its
          weight among all answers of the step.
        </p>
      )}
    </>
  );
}
