/** One training step in jax-js: gradient, clip and AdamW in a single jitted function. */
import { jit, nn, numpy as np, tree, valueAndGrad } from '@jax-js/jax';
import type { ModelConfig } from '../../../model/config.ts';
import { flatBatch, TRAINING, trainingData } from '../../participants/inputs.ts';
import { preparedWork } from '../../participants/timing.ts';
import type { HostModel } from '../../participants/model.ts';
import type { Prepared, TrainWorkload } from '../../types.ts';
import {
  causalMask,
  floats,
  logitsOf,
  numbersOf,
  parametersOf,
  rotationOf,
  type Parameters,
} from './model.ts';

type Batch = {
  inputs: np.Array;
  targets: np.Array;
  weights: np.Array;
  cosines: np.Array;
  sines: np.Array;
  mask: np.Array;
};
type State = { parameters: Parameters; m: Parameters; v: Parameters };
/** Bias corrections of Adam, 1 − βᵗ. */
type Corrections = { first: np.Array; second: np.Array };

function lossOf(config: ModelConfig, rollouts: number) {
  return (parameters: Parameters, batch: Batch): np.Array => {
    const { inputs, targets, weights, cosines, sines, mask } = batch;
    const logits = logitsOf(parameters, config, inputs, cosines, sines, mask, rollouts);
    tree.dispose(parameters);
    const logprobs = nn.logSoftmax(logits).mul(targets).sum(-1);
    return logprobs.mul(weights).sum().neg();
  };
}

function updated(
  state: State,
  gradients: Parameters,
  scale: np.Array,
  { first, second }: Corrections,
): State {
  const { learningRate, beta1, beta2, epsilon, weightDecay } = TRAINING;
  const next: State = { parameters: {}, m: {}, v: {} };
  for (const [name, gradient] of Object.entries(gradients)) {
    const { parameters, m, v } = state;
    const old = { parameter: parameters[name], m: m[name], v: v[name] };
    if (!old.parameter || !old.m || !old.v) throw new Error(`There are no moments for ${name}.`);
    const decay = old.parameter.ndim > 1 ? 1 - learningRate * weightDecay : 1;
    const clipped = gradient.mul(scale.ref);
    const newM = old.m.mul(beta1).add(clipped.ref.mul(1 - beta1));
    const newV = old.v.mul(beta2).add(np.square(clipped).mul(1 - beta2));
    const denominator = np.sqrt(newV.ref.div(second.ref)).add(epsilon);
    const direction = newM.ref.div(first.ref).div(denominator);
    next.parameters[name] = old.parameter.mul(decay).sub(direction.mul(learningRate));
    next.m[name] = newM;
    next.v[name] = newV;
  }
  tree.dispose([scale, first, second]);
  return next;
}

function stepOf(config: ModelConfig, rollouts: number) {
  const loss = lossOf(config, rollouts);
  return jit((state: State, batch: Batch, corrections: Corrections) => {
    const [value, gradients] = valueAndGrad(loss)(tree.ref(state.parameters), batch);
    const squares = Object.values(gradients).map((gradient) => np.square(gradient.ref).sum());
    const norm = np.sqrt(squares.reduce((sum, square) => sum.add(square)));
    const scale = np.minimum(1, np.array(TRAINING.clipNorm).div(norm.ref));
    const next = updated(state, gradients, scale, corrections);
    return { next, value, norm };
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
  const zeros = (): Parameters =>
    Object.fromEntries(Object.entries(parameters).map(([name, { shape }]) => [name, np.zeros(shape)]));
  let state: State = { parameters, m: zeros(), v: zeros() };
  let steps = 0;
  const step = stepOf(config, rollouts);

  /** Loss and gradient norm before the update. */
  const run = async (): Promise<[number, number]> => {
    steps++;
    const corrections: Corrections = {
      first: np.array(1 - TRAINING.beta1 ** steps),
      second: np.array(1 - TRAINING.beta2 ** steps),
    };
    const { next, value, norm } = step(state, tree.ref(batch), corrections);
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
