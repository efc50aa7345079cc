/** A pool that returns scripted answers at once, for tests of the steps after sampling: scoring, advantages, metrics. */
import type { Tokenizer } from '../hub/types.ts';
import type { Engine } from '../calls/engine.ts';
import { checkGenerator, wholeSampling } from '../rollout/requests.ts';
import type {
  GenerateOptions,
  GeneratorPool,
  GroupRequest,
  GroupResult,
  SampledCompletion,
  SamplingSettings,
} from '../rollout/decoding/types.ts';

/** The text of an answer; null fails it. */
export type Script = (request: GroupRequest, sample: number, sampling: SamplingSettings) => string | null;

export interface ScriptedPool extends GeneratorPool {
  /** All requests, in order. */
  readonly asked: {
    requests: readonly GroupRequest[];
    sampling: SamplingSettings;
    generator: number | null;
  }[];
  /** The versions of the weights and of the factors that were handed over, in order. */
  readonly versions: number[];
  readonly adapterVersions: number[];
}

/** The sampling side of an engine over a pool, for tests that need nothing else of it. */
export function samplerOf(pool: GeneratorPool): Pick<Engine, 'sample' | 'places'> {
  return {
    places: pool.size,
    sample: (requests, wanted, options) => {
      const { generator, ...rest } = options ?? {};
      const sampling = wholeSampling(wanted, []);
      return generator === undefined
        ? pool.generate(requests, sampling, rest)
        : pool.generateOn(generator, requests, sampling, rest);
    },
  };
}

/** The log-probability that the pool states for every token. */
export const CLAIMED_LOGPROB = -1;

/** The seconds that the pool states for each group, one after the other. */
export const CLAIMED_GROUP_SECONDS = 2;

export function scriptedPool(tokenizer: Tokenizer, script: Script, size = 1): ScriptedPool {
  const asked: ScriptedPool['asked'] = [];
  const versions: number[] = [];
  const adapterVersions: number[] = [];
  let newest = -1;
  let groups = 0;
  let handedOverBytes = 0;
  const handOver = (version: number, packed: Float32Array): Promise<void> => {
    newest = version;
    handedOverBytes = packed.byteLength;
    return Promise.resolve();
  };
  const answer = (request: GroupRequest, sample: number, sampling: SamplingSettings): SampledCompletion => {
    const text = script(request, sample, sampling);
    if (text === null) return { tokens: [], logprobs: [], stopReason: 'error', error: 'out of order' };
    const tokens = [...tokenizer.encode(text), tokenizer.eosTokenId].slice(0, sampling.maxTokens);
    const stopReason = tokens.at(-1) === tokenizer.eosTokenId ? 'eos' : 'max_tokens';
    return { tokens, logprobs: tokens.map(() => CLAIMED_LOGPROB), stopReason };
  };
  const answerGroup = (request: GroupRequest, sampling: SamplingSettings): GroupResult => {
    const began = groups++ * CLAIMED_GROUP_SECONDS * 1000;
    return {
      policyVersion: newest,
      began,
      ended: began + CLAIMED_GROUP_SECONDS * 1000,
      completions: Array.from({ length: request.samples }, (_, sample) => answer(request, sample, sampling)),
    };
  };
  const generate = async (
    generator: number | null,
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    { signal, onGroup, onProgress }: GenerateOptions = {},
  ): Promise<GroupResult[]> => {
    signal?.throwIfAborted();
    asked.push({ requests, sampling, generator });
    const total = requests.reduce((sum, { samples }) => sum + samples, 0);
    let finished = 0;
    let tokens = 0;
    return requests.map((request, index) => {
      const group = answerGroup(request, sampling);
      finished += group.completions.length;
      tokens += group.completions.reduce((sum, completion) => sum + completion.tokens.length, 0);
      onProgress?.({ finished, tokens, total });
      onGroup?.(index, group);
      return group;
    });
  };
  return {
    size,
    asked,
    versions,
    adapterVersions,
    setWeights(version, packed) {
      versions.push(version);
      return handOver(version, packed);
    },
    setBase(version) {
      versions.push(version);
      return Promise.resolve();
    },
    setAdapter(version, packed) {
      adapterVersions.push(version);
      return handOver(version, packed);
    },
    generate: (requests, sampling, options) => generate(null, requests, sampling, options),
    async generateOn(generator, requests, sampling, options) {
      checkGenerator(generator, size);
      return generate(generator, requests, sampling, options);
    },
    get busySeconds() {
      return groups * CLAIMED_GROUP_SECONDS;
    },
    get handedOverBytes() {
      return handedOverBytes;
    },
    dispose: () => {},
  };
}
