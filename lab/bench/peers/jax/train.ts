/** One training step in jax-js: gradient, clip and AdamW in a single jitted function. */
import { jit, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import type { ModelConfig } from '@rl-playground/engine/parts';
import { flatBatch, trainingData } from '../../participants/inputs.ts';
import { preparedWork } from '../../participants/timing.ts';
import type { HostModel } from '../../participants/model.ts';
import type { Prepared, TrainWorkload } from '../../types.ts';
import {
  causalMask,
  embeddedOneHots,
  floats,
  hiddenOf,
  logitsOf,
  numbersOf,
  parametersOf,
  rotationOf,
  type Parameters,
} from './model.ts';
import { correctionsOf, initialState, updated, type Corrections, type State } from './adamw.ts';

type Batch = {
  inputs: np.Array;
  targets: np.Array;
  weights: np.Array;
  cosines: np.Array;
  sines: np.Array;
  mask: np.Array;
};

function lossOf(config: ModelConfig, rollouts: number) {
  return (parameters: Parameters, batch: Batch): np.Array => {
    const { inputs, targets, weights, ...positions } = batch;
    const hidden = hiddenOf(parameters, config, embeddedOneHots(parameters, inputs), positions, rollouts);
    const logits = logitsOf(parameters, config, hidden);
    tree.dispose(parameters);
    const logprobs = nn.logSoftmax(logits).mul(targets).sum(-1);
    return logprobs.mul(weights).sum().neg();
  };
}

function stepOf(config: ModelConfig, rollouts: number) {
  const loss = lossOf(config, rollouts);
  return jit((state: State, batch: Batch, corrections: Corrections) => {
    const [value, gradients] = valueAndGrad(loss)(tree.ref(state.parameters), batch);
    return { ...updated(state, gradients, corrections), value };
  });
}

export async function prepareTraining(workload: TrainWorkload, host: HostModel): Promise<Prepared> {
  const { config } = host;
  const { rollouts, length } = workload;
  const flat = flatBatch(trainingData(workload, config));
  const oneHot = (ids: Int32Array): np.Array =>
    nn.oneHot(np.array(ids, { dtype: np.int32 }), config.vocabSize).astype(np.float32);
  const batch: Batch = {
    inputs: oneHot(flat.inputs),
    targets: oneHot(flat.targets),
    weights: floats(flat.weights, [flat.weights.length]),
    ...rotationOf(config, length),
    mask: causalMask(length),
  };
  const parameters = parametersOf(host);
  let state = initialState(parameters);
  let steps = 0;
  const step = stepOf(config, rollouts);

  /** Loss and gradient norm before the update. */
  const run = async (): Promise<[number, number]> => {
    steps++;
    const { next, value, norm } = step(state, tree.ref(batch), correctionsOf(steps));
    state = next;
    const [loss = NaN] = await numbersOf(value);
    const [gradientNorm = NaN] = await numbersOf(norm);
    return [loss, gradientNorm];
  };

  const check = Float32Array.from([...(await run()), ...(await run())]);
  return preparedWork(
    async () => void (await run()),
    check,
    () => {
      tree.dispose(state);
      tree.dispose(batch);
      step.dispose();
    },
  );
}
