/** Answers of several versions of one model to prompts of their own. All are written at once if there is room for all, else in turn. */
import type { GeneratorModel } from '../rollout/decoding/decoder.ts';
import { createLocalPool } from '../rollout/localPool.ts';
import type {
  BaseTakingPool,
  SampledCompletion,
  SamplingProgress,
  SamplingSettings,
} from '../rollout/decoding/types.ts';

/** The weights that answer: those before training, those of now, or those that generators had under a version. */
export type Voice = 'before' | 'now' | number;

/** A voice and the prompts that it answers. */
export interface AskedVoice {
  readonly voice: Voice;
  readonly prompts: readonly (readonly number[])[];
}

/** The most bytes of copied weights with which all voices are held at once. */
const MOST_BESIDE = 256 * 2 ** 20;

export interface Voices {
  /** The generator model, without the positions that the prompts need. */
  readonly generator: GeneratorModel;
  /** Gives a generator the weights that all voices share, before anything else. */
  readonly base: (pool: BaseTakingPool) => Promise<void>;
  /** Makes a generator answer with the weights of a voice. */
  readonly become: (pool: BaseTakingPool, version: number, voice: Voice) => Promise<void>;
  /** The bytes of weights that each further generator would hold a copy of. */
  readonly copiedBytes: number;
}

export interface VoiceSampling {
  readonly seed: number;
  readonly sampling: SamplingSettings;
  /** Receives the tokens so far of the answer of a voice that has been under way longest. */
  readonly onTokens?: ((of: Voice, tokens: readonly number[]) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

async function answersOf(
  pool: BaseTakingPool,
  { voice, prompts }: AskedVoice,
  { seed, sampling, onTokens, signal }: VoiceSampling,
): Promise<SampledCompletion[]> {
  const onProgress = ({ underWay }: SamplingProgress): void => {
    if (underWay) onTokens?.(voice, underWay);
  };
  const requests = prompts.map((promptIds, problem) => ({ promptIds, samples: 1, seed, step: 0, problem }));
  const groups = await pool.generate(requests, sampling, { onProgress, ...(signal && { signal }) });
  return groups.map(({ completions: [completion] }) => {
    if (completion === undefined || completion.stopReason === 'error')
      throw new Error(completion?.error ?? 'The generator gave no answer.');
    return completion;
  });
}

/**
 * Writes the answers of all voices with the same draws, by generators of their own on the trainer's device: those of the run are not
 * involved. The lists are in the order of `asked`.
 */
export async function answersInTurn(
  { generator, base, become, copiedBytes }: Voices,
  asked: readonly AskedVoice[],
  sampling: VoiceSampling,
): Promise<SampledCompletion[][]> {
  const longest = Math.max(...asked.flatMap(({ prompts }) => prompts.map(({ length }) => length)));
  const positions = longest + sampling.sampling.maxTokens;
  const open = (): BaseTakingPool => createLocalPool({ ...generator, positions, besidePage: true });
  const beside = copiedBytes * (asked.length - 1) <= MOST_BESIDE;
  const first = open();
  const pools = [first];
  while (beside && pools.length < asked.length) pools.push(open());
  try {
    for (const pool of pools) await base(pool);
    if (!beside) {
      const answers: SampledCompletion[][] = [];
      for (const [version, each] of asked.entries()) {
        await become(first, version, each.voice);
        answers.push(await answersOf(first, each, sampling));
      }
      return answers;
    }
    for (const [i, pool] of pools.entries()) await become(pool, 0, asked[i]?.voice ?? 'now');
    const ended = await Promise.allSettled(
      asked.map((each, i) => answersOf(pools[i] ?? first, each, sampling)),
    );
    return ended.map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    });
  } finally {
    for (const pool of pools) pool.dispose();
  }
}
