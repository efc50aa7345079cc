/** Answers to one prompt by the model before training and by the current one. Both are written at once if there is room for both, else in turn. */
import type { GeneratorModel } from '../rollout/decoding/decoder.ts';
import { createLocalPool } from '../rollout/localPool.ts';
import type {
  BaseTakingPool,
  SampledCompletion,
  SamplingProgress,
  SamplingSettings,
} from '../rollout/decoding/types.ts';

export type Side = 'before' | 'now';

/** The most bytes of weights with which both models are held at once. */
const MOST_BESIDE = 256 * 2 ** 20;

export interface TwoModels {
  /** The generator model, without the positions that the prompt needs. */
  readonly generator: GeneratorModel;
  /** Gives a generator the weights that both models share, before anything else. */
  readonly base: (pool: BaseTakingPool) => Promise<void>;
  /** Makes a generator answer as one of the two models. */
  readonly become: Readonly<Record<Side, (pool: BaseTakingPool, version: number) => Promise<void>>>;
  /** The bytes of weights that a second generator would hold a copy of. */
  readonly copiedBytes: number;
}

export interface AskedOnce {
  readonly promptIds: readonly number[];
  readonly seed: number;
  readonly sampling: SamplingSettings;
  readonly onTokens?: ((of: Side, tokens: readonly number[]) => void) | undefined;
}

async function answerOf(pool: BaseTakingPool, of: Side, asked: AskedOnce): Promise<SampledCompletion> {
  const { promptIds, seed, sampling, onTokens } = asked;
  const onProgress = ({ underWay }: SamplingProgress): void => {
    if (underWay) onTokens?.(of, underWay);
  };
  const request = { promptIds, samples: 1, seed, step: 0, problem: 0 };
  const [group] = await pool.generate([request], sampling, { onProgress });
  const [completion] = group?.completions ?? [];
  if (completion === undefined || completion.stopReason === 'error')
    throw new Error(completion?.error ?? 'The generator gave no answer.');
  return completion;
}

/** Writes both answers with the same draws, by separate generators on the trainer's device. The generators of the run are not involved. */
export async function twoAnswers(
  { generator, base, become, copiedBytes }: TwoModels,
  asked: AskedOnce,
): Promise<readonly [before: SampledCompletion, now: SampledCompletion]> {
  const positions = asked.promptIds.length + asked.sampling.maxTokens;
  const open = (): BaseTakingPool => createLocalPool({ ...generator, positions, besidePage: true });
  const first = open();
  const second = copiedBytes <= MOST_BESIDE ? open() : first;
  try {
    await base(first);
    await become.before(first, 0);
    if (second === first) {
      const before = await answerOf(first, 'before', asked);
      await become.now(first, 1);
      return [before, await answerOf(first, 'now', asked)];
    }
    await base(second);
    await become.now(second, 0);
    const [before, now] = await Promise.allSettled([
      answerOf(first, 'before', asked),
      answerOf(second, 'now', asked),
    ]);
    // Both have ended.
    if (before.status === 'rejected') throw before.reason;
    if (now.status === 'rejected') throw now.reason;
    return [before.value, now.value];
  } finally {
    first.dispose();
    if (second !== first) second.dispose();
  }
}
