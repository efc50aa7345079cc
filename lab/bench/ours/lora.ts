/**
 * LoRA on the engine of a run: a frozen base in its files' words, an adapter beside it, generators in workers. A whole pass of
 * GRPO, and sampling and an update alone.
 */
import { packMicrobatches, type EngineSequence } from '@rl-playground/engine/parts';
import { type Engine, type EngineHost, reinforce } from '@rl-playground/engine/parts/tensors';
import {
  advantageOf,
  firstAnswers,
  promptsOf,
  TRAINING,
  trainingData,
  type AdapterRank,
} from '../participants/inputs.ts';
import { preparedWork, secondsSince } from '../participants/timing.ts';
import type {
  Environment,
  OpenFiles,
  PassWorkload,
  Prepared,
  RolloutWorkload,
  TrainWorkload,
} from '../types.ts';
import { frozenEngine } from './frozenEngine.ts';

type Tokens = readonly (readonly number[])[];
type Losses = readonly [loss: number, gradNorm: number];

interface Sampling {
  readonly host: EngineHost;
  readonly prompts: Tokens;
  /** Answers to every prompt at a temperature, all `newTokens` long since no token ends one, and others at every call. */
  readonly sample: (temperature: number) => Promise<Tokens>;
}

/** An engine whose generator has the adapter as a run begins. */
async function preparedSampling(
  workload: Omit<RolloutWorkload, 'kind'> & AdapterRank,
  environment: Environment,
  openFiles: OpenFiles,
): Promise<Sampling> {
  const { samples, promptLength, newTokens } = workload;
  const { host } = await frozenEngine(workload, promptLength + newTokens, environment, openFiles);
  const { engine } = host;
  const prompts = promptsOf(workload, engine.policy.config);
  let calls = 0;
  const sample = async (temperature: number): Promise<Tokens> => {
    const step = calls++;
    const requests = prompts.map((promptIds, problem) => ({ promptIds, samples, seed: 1, step, problem }));
    const groups = await engine.sample(requests, { temperature, maxTokens: newTokens });
    return groups.flatMap(({ completions }) =>
      completions.map((completion) => {
        if (completion.stopReason === 'error') throw new Error(completion.error);
        return completion.tokens;
      }),
    );
  };
  return { host, prompts, sample };
}

/** One update, with loss and gradient norm before it. Sequences have equal lengths. REINFORCE is GRPO's gradient in the first update on new answers. */
async function trained(engine: Engine, sequences: readonly EngineSequence[]): Promise<Losses> {
  const tokens = sequences.reduce((sum, sequence) => sum + sequence.tokens.length, 0);
  const { loss } = await engine.forwardBackward(sequences, {
    tokenLoss: reinforce,
    weightOf: () => 1 / tokens,
  });
  const { gradNorm } = await engine.optimStep(TRAINING.learningRate);
  return [loss, gradNorm];
}

/** The positions that an update computes, in microbatches of at most `microBatchTokens` padded tokens. */
function positionsOf(sequences: readonly EngineSequence[], microBatchTokens: number): number {
  const plain = sequences.map(({ promptIds, tokens }) => ({
    promptIds,
    tokens,
    samplerLogprobs: [],
    advantages: [],
  }));
  const microbatches = packMicrobatches(plain, () => 1, microBatchTokens);
  return microbatches.reduce((sum, { computed }) => sum + computed, 0);
}

export async function preparePass(
  workload: PassWorkload,
  environment: Environment,
  openFiles: OpenFiles,
): Promise<Prepared> {
  const { host, prompts, sample } = await preparedSampling(
    { ...workload, groups: 1 },
    environment,
    openFiles,
  );
  const { engine } = host;
  const [promptIds = []] = prompts;
  const train = (answers: Tokens): Promise<Losses> =>
    trained(
      engine,
      answers.map((tokens, row) => ({ promptIds, tokens, advantages: tokens.map(() => advantageOf(row)) })),
    );

  const given = firstAnswers(workload, engine.policy.config);
  const learned = [...(await train(given)), ...(await train(given))];
  await engine.saveWeightsForSampler();
  const check = Float32Array.from([...learned, ...(await sample(0)).flat()]);
  return {
    check,
    async run() {
      const began = performance.now();
      const answers = await sample(1);
      const sampling = secondsSince(began);
      await train(answers);
      const training = secondsSince(began) - sampling;
      await engine.saveWeightsForSampler();
      return { seconds: secondsSince(began), sampling, training };
    },
    dispose: () => host.dispose(),
  };
}

/** Answers by a base with an adapter as a run begins. */
export async function prepareAdaptedRollouts(
  workload: RolloutWorkload & AdapterRank,
  environment: Environment,
  openFiles: OpenFiles,
): Promise<Prepared> {
  const { host, sample } = await preparedSampling(workload, environment, openFiles);
  return preparedWork(
    async () => void (await sample(1)),
    Float32Array.from((await sample(0)).flat()),
    () => host.dispose(),
  );
}

/** An update of the adapter alone. */
export async function prepareAdapterTraining(
  workload: TrainWorkload & AdapterRank,
  environment: Environment,
  openFiles: OpenFiles,
): Promise<Prepared> {
  const { host, microBatchTokens } = await frozenEngine(
    workload,
    workload.length + 1,
    environment,
    openFiles,
  );
  const { engine } = host;
  const { length, promptLength, tokens, advantages } = trainingData(workload, engine.policy.config);
  const sequences = Array.from(advantages, (advantage, row): EngineSequence => {
    const all = Array.from(tokens.subarray(row * (length + 1), (row + 1) * (length + 1)));
    const answer = all.slice(promptLength);
    return { promptIds: all.slice(0, promptLength), tokens: answer, advantages: answer.map(() => advantage) };
  });
  const check = [...(await trained(engine, sequences)), ...(await trained(engine, sequences))];
  const work = preparedWork(
    async () => void (await trained(engine, sequences)),
    Float32Array.from(check),
    () => host.dispose(),
  );
  const positions = positionsOf(sequences, microBatchTokens);
  return { ...work, run: async () => ({ ...(await work.run()), positions }) };
}
