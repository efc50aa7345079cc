/** Requests dealt to the generators of a pool in turn, and what comes back put in order again. */
import type {
  GenerateOptions,
  GeneratorPool,
  GroupRequest,
  GroupResult,
  SamplingProgress,
  SamplingSettings,
} from './types.ts';

/**
 * `generate` of a pool, by its `generateOn`: of n generators, the first is asked for the requests 0, n, 2n, …
 * @throws the signal's reason when aborted, else the first error, in both cases once every generator is done.
 */
export async function dealRequests(
  { size, generateOn }: Pick<GeneratorPool, 'size' | 'generateOn'>,
  requests: readonly GroupRequest[],
  sampling: SamplingSettings,
  { signal, onProgress, onGroup }: GenerateOptions,
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

/** @throws where a pool of `size` generators has no such one. */
export function checkGenerator(generator: number, size: number): void {
  if (Number.isInteger(generator) && generator >= 0 && generator < size) return;
  throw new RangeError(`There is no generator ${generator}; this pool has ${size}, counted from 0.`);
}
