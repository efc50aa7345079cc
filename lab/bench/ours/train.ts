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
import { prepareProducts, productsOf } from './products.ts';
import type { Prepared, TrainWorkload } from '../types.ts';

/** Padded tokens that go through the model at once. */
const MICROBATCH_TOKENS = 4096;
/** Room for padding. */
const SPARE_POSITIONS = 16;

function sequencesOf(workload: TrainWorkload, vocabSize: number): Sequence[] {
  const { rollouts, length, promptLength, tokens, advantages } = trainingData(workload, { vocabSize });
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

export async function prepareTraining(
  workload: TrainWorkload,
  { config, weights }: HostModel,
): Promise<Prepared> {
  const { learningRate, ...settings } = TRAINING;
  const positions = workload.length + SPARE_POSITIONS;
  const policy = new LanguageModel(ModelWeights.fromHuggingFace(config, weights), positions);
  const optimizer = new Optimizer(policy.pool, settings);
  const options = { policy, optimizer, temperature: 1, loss: reinforce, breathe: breatheIfDue };
  const packed = () => {
    const sequences = sequencesOf(workload, config.vocabSize);
    const weightOf = weightsOfWhole(sequences, 'token_mean', workload.length);
    return packMicrobatches(sequences, weightOf, MICROBATCH_TOKENS);
  };
  const step = () => trainStep(packed(), learningRate, options);
  const [first, second] = [await step(), await step()];
  const update = preparedWork(
    async () => void (await step()),
    Float32Array.from([first.loss, first.gradNorm, second.loss, second.gradNorm]),
    () => {
      optimizer.dispose();
      policy.dispose();
    },
  );
  if (!workload.products) return update;
  const products = await prepareProducts(productsOf(config, packed()));
  return {
    check: update.check,
    run: async () => ({ ...(await update.run()), products: (await products.run()).seconds }),
    async dispose() {
      await products.dispose();
      await update.dispose();
    },
  };
}
