/** Requests for completions: their defaults and checks, the way they are dealt to the generators of a pool, and the order of the answers. */
import type {
  GenerateOptions,
  GeneratorPool,
  GroupRequest,
  GroupResult,
  SamplingProgress,
  SamplingSettings,
} from './decoding/types.ts';
import { millisecondsNow } from './clock.ts';

/** A generator was silent for longer than the caller's patience. */
export class GeneratorSilent extends Error {
  override readonly name = 'GeneratorSilent';
}

/** The settings of a request. By default they give the plain distribution: temperature 1, no nucleus, no top-k. */
export type WantedSampling = Pick<SamplingSettings, 'maxTokens'> & Partial<SamplingSettings>;

/** Fills in the defaults. @throws Error for a setting that can't be followed. */
export function wholeSampling(wanted: WantedSampling, stop: readonly string[]): SamplingSettings {
  const whole = { temperature: 1, topP: 1, topK: 0, stop, ...wanted };
  const { temperature, topP, topK, minP = 0, repetitionPenalty = 1, logitNoise = 0, maxTokens } = whole;
  const needs: readonly (readonly [name: string, value: number, right: boolean, need: string])[] = [
    ['maxTokens', maxTokens, Number.isInteger(maxTokens) && maxTokens >= 1, 'a whole number from 1 up'],
    [
      'temperature',
      temperature,
      temperature >= 0 && Number.isFinite(temperature),
      'a number from 0 up; 0 is greedy',
    ],
    ['topP', topP, topP > 0 && topP <= 1, 'above 0 and at most 1; 1 keeps everything'],
    ['minP', minP, minP >= 0 && minP <= 1, 'from 0 to 1; 0 keeps everything'],
    [
      'repetitionPenalty',
      repetitionPenalty,
      repetitionPenalty > 0 && Number.isFinite(repetitionPenalty),
      'a number above 0; 1 changes nothing',
    ],
    ['topK', topK, Number.isInteger(topK) && topK >= 0, 'a whole number; 0 keeps everything'],
    [
      'logitNoise',
      logitNoise,
      logitNoise >= 0 && Number.isFinite(logitNoise),
      'a standard deviation from 0 up; 0 is none',
    ],
  ];
  for (const [name, value, right, need] of needs)
    if (!right) throw new Error(`${name} is ${value}; it must be ${need}.`);
  return whole;
}

/** @throws Error for a request whose draws would have no name, or that asks for nothing. */
export function checkRequests(requests: readonly GroupRequest[]): void {
  requests.forEach((request, index) => {
    const { samples } = request;
    if (!(Number.isInteger(samples) && samples >= 1))
      throw new Error(`Request ${index} asks for ${samples} samples; at least 1 is needed.`);
    for (const name of ['seed', 'step', 'problem'] as const)
      if (!(Number.isSafeInteger(request[name]) && request[name] >= 0))
        throw new Error(
          `Request ${index}: ${name} is ${request[name]}; it names the random draws and must be a whole number from 0 up.`,
        );
  });
}

/**
 * Implements `generate` of a pool by its `generateOn`: of n generators, the first gets the requests 0, n, 2n, …
 *
 * @throws the signal's reason when aborted, else the first error, in both cases once every generator is done.
 */
export async function dealRequests(
  { size, generateOn }: Pick<GeneratorPool, 'size' | 'generateOn'>,
  requests: readonly GroupRequest[],
  sampling: SamplingSettings,
  { signal, onProgress, onGroup, patience }: GenerateOptions,
): Promise<GroupResult[]> {
  signal?.throwIfAborted();
  const total = requests.reduce((sum, { samples }) => sum + samples, 0);
  const asked = Math.min(size, requests.length);
  const progress: SamplingProgress[] = Array.from({ length: asked }, () => ({
    tokens: 0,
    finished: 0,
    total,
  }));
  const sum = (key: 'tokens' | 'finished'): number => progress.reduce((all, part) => all + part[key], 0);
  const answers = await Promise.allSettled(
    progress.map((_, generator) => {
      const share = requests.filter((_request, index) => index % size === generator);
      return generateOn(generator, share, sampling, {
        signal,
        patience,
        onProgress(part) {
          progress[generator] = part;
          onProgress?.({ tokens: sum('tokens'), finished: sum('finished'), total });
        },
        onGroup: (i, group) => onGroup?.(generator + i * size, group),
      });
    }),
  );
  signal?.throwIfAborted();
  const shares = answers.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  });
  return requests.map((_, index) => shares[index % size]?.[Math.floor(index / size)] as GroupResult);
}

/** @throws Error if a pool of `size` generators has no such one. */
export function checkGenerator(generator: number, size: number): void {
  if (Number.isInteger(generator) && generator >= 0 && generator < size) return;
  throw new RangeError(`There is no generator ${generator}; this pool has ${size}, counted from 0.`);
}

/** The request that one generator worker is answering. Its groups come one by one, and those that never come have failed. */
export class PendingRequest {
  readonly #requests: readonly GroupRequest[];
  readonly #options: GenerateOptions;
  readonly #asked = millisecondsNow();
  readonly #groups: GroupResult[] = [];
  readonly #total: number;
  #resolve: (groups: GroupResult[]) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  /** The groups in order, once all are there; rejects if they are given up. */
  readonly groups: Promise<GroupResult[]>;

  constructor(requests: readonly GroupRequest[], options: GenerateOptions) {
    this.#requests = requests;
    this.#options = options;
    this.#total = requests.reduce((sum, { samples }) => sum + samples, 0);
    this.groups = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get aborted(): boolean {
    return this.#options.signal?.aborted === true;
  }

  /** The groups that have not come, with their index in the request. */
  get left(): readonly (readonly [index: number, request: GroupRequest])[] {
    return [...this.#requests.entries()].filter(([index]) => !this.#groups[index]);
  }

  progress(tokens: number, finished: number): void {
    this.#options.onProgress?.({ tokens, finished, total: this.#total });
  }

  receive(index: number, group: GroupResult): void {
    this.#groups[index] = group;
    this.#options.onGroup?.(index, group);
  }

  /** Ends the request. Groups that have not come fail for `reason`; those of an aborted request are not reported. */
  end(reason: string): void {
    const failed = this.left;
    for (const [index, { samples }] of failed)
      this.#groups[index] = failedGroup(samples, reason, this.#asked);
    this.#resolve(this.#groups);
    if (this.aborted) return;
    for (const [index] of failed) this.#options.onGroup?.(index, this.#groups[index] as GroupResult);
  }

  /** Ends the request with an error, because the groups that have come are not enough. */
  giveUp(error: Error): void {
    this.#reject(error);
  }
}

function failedGroup(samples: number, error: string, began: number): GroupResult {
  return {
    policyVersion: -1,
    began,
    ended: millisecondsNow(),
    completions: Array.from({ length: samples }, () => ({
      tokens: [],
      logprobs: [],
      stopReason: 'error' as const,
      error,
    })),
  };
}
