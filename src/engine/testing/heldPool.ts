/** A pool whose generators finish when a test says so, for tests of the requests that each generator gets, and when. */
import { dealRequests } from '../rollout/requests.ts';
import type { GenerateOptions, GeneratorPool, GroupRequest, GroupResult } from '../rollout/decoding/types.ts';

/** One call of `generateOn` that a generator is working on. */
export interface HeldCall {
  readonly generator: number;
  readonly requests: readonly GroupRequest[];
  /** The version of the weights when it began. */
  readonly version: number;
  /** Completes the groups at `indices`, or all that are left if none are given. The call ends with the last group. */
  finish(indices?: readonly number[]): void;
  /** Returns all groups that are left as failed. */
  breakDown(): void;
  reject(error: Error): void;
}

export interface HeldPool extends GeneratorPool {
  /** The calls that are running now, in the order in which they came. */
  readonly calls: readonly HeldCall[];
  /** All requests so far, including those that have ended. */
  readonly asked: GroupRequest[];
  /** The largest number of groups that ran at once. */
  readonly mostUnderWay: number;
}

function groupOf(request: GroupRequest, policyVersion: number, error?: string): GroupResult {
  const { step, problem } = request;
  return {
    policyVersion,
    began: 0,
    ended: 0,
    completions: Array.from({ length: request.samples }, (_, sample) =>
      error === undefined
        ? // The draws' coordinates themselves, so that a test sees them.
          { tokens: [step, problem, sample], logprobs: [0, 0, 0], stopReason: 'eos' as const }
        : { tokens: [], logprobs: [], stopReason: 'error' as const, error },
    ),
  };
}

export function heldPool(size: number): HeldPool {
  const calls: HeldCall[] = [];
  const asked: GroupRequest[] = [];
  let version = -1;
  let underWay = 0;
  let mostUnderWay = 0;

  const generateOn = (
    generator: number,
    requests: readonly GroupRequest[],
    { signal, onGroup }: GenerateOptions,
  ): Promise<GroupResult[]> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const groups: GroupResult[] = [];
      const atStart = version;
      asked.push(...requests);
      underWay += requests.length;
      mostUnderWay = Math.max(mostUnderWay, underWay);
      const abort = (): void => {
        end();
        reject(signal?.reason as Error);
      };
      const end = (): void => {
        signal?.removeEventListener('abort', abort);
        calls.splice(calls.indexOf(call), 1);
        underWay -= requests.filter((_, i) => !groups[i]).length;
      };
      const left = (): number[] => [...requests.keys()].filter((i) => !groups[i]);
      const give = (indices: readonly number[], error?: string): void => {
        for (const i of indices) {
          const request = requests[i];
          if (!request || groups[i]) throw new Error(`There is no open group ${i}.`);
          const group = groupOf(request, error === undefined ? atStart : -1, error);
          groups[i] = group;
          underWay--;
          onGroup?.(i, group);
        }
        if (left().length > 0) return;
        end();
        resolve(groups);
      };
      const call: HeldCall = {
        generator,
        requests,
        version: atStart,
        finish: (indices = left()) => give(indices),
        breakDown: () => give(left(), 'out of order'),
        reject(error) {
          end();
          reject(error);
        },
      };
      calls.push(call);
      signal?.addEventListener('abort', abort);
    });

  const handOver = (newest: number): Promise<void> => {
    version = newest;
    return Promise.resolve();
  };
  return {
    size,
    get calls() {
      return [...calls];
    },
    asked,
    get mostUnderWay() {
      return mostUnderWay;
    },
    setWeights: handOver,
    setBase: handOver,
    setAdapter: handOver,
    generateOn: (generator, requests, _sampling, options = {}) => generateOn(generator, requests, options),
    generate: (requests, sampling, options = {}) =>
      dealRequests(
        { size, generateOn: (on, share, _, own = {}) => generateOn(on, share, own) },
        requests,
        sampling,
        options,
      ),
    busySeconds: 0,
    handedOverBytes: 0,
    dispose: () => {},
  };
}
