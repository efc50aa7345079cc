/** One update as the training loop makes it. */
import { breatheIfDue, packMicrobatches, type Sequence, weightsOfWhole } from '@rl-playground/engine/parts';
import {
  LanguageModel,
  ModelWeights,
  reinforce,
  Optimizer,
  trainStep,
} from '@rl-playground/engine/parts/tensors';
import type { HostModel } from '../participants/model.ts';
import { preparedWork } from '../participants/timing.ts';
import { TRAINING, trainingData } from '../participants/inputs.ts';
import type { Prepared, TrainWorkload } from '../types.ts';

/** Padded tokens that go through the model at once. */
const MICROBATCH_TOKENS = 4096;
/** Room for padding. */
const SPARE_POSITIONS = 16;

interface TrainingRun {
  /** One update on sequences of that size. */
  step(
    size: Pick<TrainWorkload, 'rollouts' | 'length'>,
  ): Promise<{ readonly loss: number; readonly gradNorm: number }>;
  dispose(): void;
}

/** A policy with its optimizer; `longest` sequence in positions. */
function trainingRun({ config, weights }: HostModel, longest: number): TrainingRun {
  const { learningRate, ...settings } = TRAINING;
  const policy = new LanguageModel(ModelWeights.fromHuggingFace(config, weights), longest + SPARE_POSITIONS);
  const optimizer = new Optimizer(policy.pool, settings);
  const options = { policy, optimizer, temperature: 1, loss: reinforce, breathe: breatheIfDue };
  return {
    step(size) {
      const sequences = sequencesOf(size, config.vocabSize);
      const weightOf = weightsOfWhole(sequences, 'token_mean', size.length);
      return trainStep(packMicrobatches(sequences, weightOf, MICROBATCH_TOKENS), learningRate, options);
    },
    dispose() {
      optimizer.dispose();
      policy.dispose();
    },
  };
}

function sequencesOf(size: Pick<TrainWorkload, 'rollouts' | 'length'>, vocabSize: number): Sequence[] {
  const { rollouts, length, promptLength, tokens, advantages } = trainingData(size, { vocabSize });
  return Array.from({ length: rollouts }, (_, b) => {
    const all = Array.from(tokens.subarray(b * (length + 1), (b + 1) * (length + 1)));
    const completion = all.slice(promptLength);
    return {
      promptIds: all.slice(0, promptLength),
      tokens: completion,
      samplerLogprobs: completion.map(() => 0),
      advantages: completion.map(() => advantages[b] as number),
    };
  });
}

export async function prepareTraining(workload: TrainWorkload, host: HostModel): Promise<Prepared> {
  const run = trainingRun(host, workload.length);
  const first = await run.step(workload);
  const second = await run.step(workload);
  return preparedWork(
    async () => void (await run.step(workload)),
    Float32Array.from([first.loss, first.gradNorm, second.loss, second.gradNorm]),
    () => run.dispose(),
  );
}
