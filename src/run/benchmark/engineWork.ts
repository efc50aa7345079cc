/** Sampling and an update of an engine as work that is timed. */
import type { OpenEngine, SampledCompletion } from '@rl-playground/engine/parts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { ANSWER_TOKENS, ROWS } from './benchmarkResult.ts';
import type { Work } from './deviceWork.ts';

type Prompt = readonly number[];
interface Answered {
  readonly promptIds: Prompt;
  readonly completions: readonly SampledCompletion[];
}

export interface EngineWork {
  readonly rows: Work;
  readonly one: Work;
  readonly update: Work;
  /** Tokens that go through the model for all answers, a prompt once for its group. */
  readonly tokens: number;
}

/**
 * The work of an engine whose model has no token that ends an answer, so that all are of one length. `prompts` are asked for as many
 * answers as `ROWS` allows each. Whoever opened the engine disposes of it.
 */
export function engineWork(
  { engine }: Pick<OpenEngine, 'engine'>,
  prompts: readonly Prompt[],
  config: RunConfig,
  signal: AbortSignal,
): EngineWork {
  const samples = ROWS / prompts.length;
  let draws = 0;
  /** The last answers to all prompts, which updates learn from. */
  let newest: readonly Answered[] = [];
  const answers = async (asked: readonly Prompt[], each: number): Promise<readonly Answered[]> => {
    const step = draws++;
    const groups = await engine.sample(
      asked.map((promptIds, problem) => ({ promptIds, samples: each, seed: config.seed, step, problem })),
      { maxTokens: ANSWER_TOKENS, temperature: 1, stop: [] },
      { signal },
    );
    return groups.map(({ completions }, i) => {
      const failed = completions.find(({ stopReason }) => stopReason === 'error');
      if (failed) throw new Error(failed.error);
      return { promptIds: asked[i] ?? [], completions };
    });
  };
  const update = async (): Promise<void> => {
    // Half of the answers count as good: a loss of equal ones would have no gradient.
    const sequences = newest.flatMap(({ promptIds, completions }) =>
      completions.map(({ tokens, logprobs }, row) => ({
        promptIds,
        tokens,
        samplerLogprobs: logprobs,
        advantages: tokens.map(() => (row % 2 === 0 ? 1 : -1)),
      })),
    );
    await engine.forwardBackward(sequences, config.loss);
    // The rate 0 moves nothing and takes as long as any other.
    await engine.optimStep(0);
  };
  const dispose = (): void => undefined;
  return {
    rows: {
      amount: ROWS * ANSWER_TOKENS,
      run: async () => {
        newest = await answers(prompts, samples);
      },
      dispose,
    },
    one: {
      amount: ANSWER_TOKENS,
      run: async () => {
        await answers(prompts.slice(0, 1), 1);
      },
      dispose,
    },
    update: { amount: 1, run: update, dispose },
    tokens: prompts.reduce((sum, { length }) => sum + length, 0) + ROWS * ANSWER_TOKENS,
  };
}
