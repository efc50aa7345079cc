/** One training step of plain tfjs ops: gradients of the whole model under one tape, clip, AdamW on tfjs' own Adam. */
import * as tf from '@tensorflow/tfjs';
import { flatBatch, TRAINING, trainingData } from '../../participants/inputs.ts';
import { preparedWork } from '../../participants/timing.ts';
import type { HostModel } from '../../participants/model.ts';
import type { Prepared, TrainWorkload } from '../../types.ts';
import { oneHotFloats, TfjsModel } from './model.ts';

export async function prepareTraining(workload: TrainWorkload, host: HostModel): Promise<Prepared> {
  const model = new TfjsModel(host);
  const { learningRate, beta1, beta2, epsilon, weightDecay, clipNorm } = TRAINING;
  const optimizer = tf.train.adam(learningRate, beta1, beta2, epsilon);
  const { rollouts, length } = workload;
  const batch = flatBatch(trainingData(workload, host.config));
  const inputs = tf.tensor1d(batch.inputs, 'int32');
  const targets = tf.tidy(() => oneHotFloats(tf.tensor1d(batch.targets, 'int32'), host.config.vocabSize));
  const weights = tf.tensor1d(batch.weights);
  const rotation = model.rotation(0, length);
  const mask = model.causalMask(length);
  const matrices = [...model.parameters.values()].filter(({ rank }) => rank > 1);

  const loss = (): tf.Scalar => {
    const { hidden } = model.forward(inputs, rollouts, rotation, mask, null);
    const logprobs = tf.sum(tf.mul(tf.logSoftmax(model.logits(hidden)), targets), 1);
    return tf.neg(tf.sum(tf.mul(weights, logprobs)));
  };

  /** Loss and gradient norm before the update. */
  const step = async (): Promise<[number, number]> => {
    const results = tf.tidy(() => {
      const { value, grads } = tf.variableGrads(loss, [...model.parameters.values()]);
      const squares = Object.values(grads).map((gradient) => tf.sum(tf.square(gradient)));
      // Not `tf.addN`: with more inputs than a shader may bind, it returns zeros on WebGPU (tfjs 4.22.0).
      const norm = tf.sqrt(squares.reduce((sum, square) => tf.add(sum, square)));
      const scale = tf.minimum(1, tf.div(clipNorm, norm));
      const clipped = Object.fromEntries(
        Object.entries(grads).map(([name, gradient]) => [name, tf.mul(gradient, scale)]),
      );
      for (const matrix of matrices) matrix.assign(tf.mul(matrix, 1 - learningRate * weightDecay));
      optimizer.applyGradients(clipped);
      return tf.stack([value, norm]);
    });
    const [value = NaN, norm = NaN] = await results.data<'float32'>();
    results.dispose();
    return [value, norm];
  };

  const check = Float32Array.from([...(await step()), ...(await step())]);
  return preparedWork(
    async () => void (await step()),
    check,
    () => {
      model.dispose();
      optimizer.dispose();
      tf.dispose([inputs, targets, weights, mask, rotation.cosines, rotation.sines]);
    },
  );
}
