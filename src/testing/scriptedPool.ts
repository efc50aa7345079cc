/** A pool that answers as told, for tests of what comes after sampling: scoring, advantages, metrics. */
import type { Tokenizer } from '../hub/types.ts';
import type { GeneratorPool, GroupRequest, SampledCompletion, SamplingSettings } from '../rollout/types.ts';

/** The text of an answer; null fails it. */
export type Script = (request: GroupRequest, sample: number) => string | null;

export interface ScriptedPool extends GeneratorPool {
  /** Everything that was asked, in order. */
  readonly asked: { requests: readonly GroupRequest[]; sampling: SamplingSettings }[];
  readonly versions: number[];
}

/** Log-probability that the pool claims for every token. */
export const CLAIMED_LOGPROB = -1;

export function scriptedPool(tokenizer: Tokenizer, script: Script): ScriptedPool {
  const asked: ScriptedPool['asked'] = [];
  const versions: number[] = [];
  const answer = (request: GroupRequest, sample: number, maxTokens: number): SampledCompletion => {
    const text = script(request, sample);
    if (text === null) return { tokens: [], logprobs: [], stopReason: 'error', error: 'out of order' };
    const tokens = [...tokenizer.encode(text), tokenizer.eosTokenId].slice(0, maxTokens);
    const stopReason = tokens.at(-1) === tokenizer.eosTokenId ? 'eos' : 'max_tokens';
    return { tokens, logprobs: tokens.map(() => CLAIMED_LOGPROB), stopReason };
  };
  return {
    size: 1,
    asked,
    versions,
    setWeights(version) {
      versions.push(version);
      return Promise.resolve();
    },
    generate(requests, sampling) {
      asked.push({ requests, sampling });
      return Promise.resolve(
        requests.map((request) => ({
          policyVersion: versions.at(-1) ?? -1,
          completions: Array.from({ length: request.samples }, (_, sample) =>
            answer(request, sample, sampling.maxTokens),
          ),
        })),
      );
    },
    dispose: () => {},
  };
}
