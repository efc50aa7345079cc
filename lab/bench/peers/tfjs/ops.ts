/** Products, and our fused ops composed of plain tfjs ops. */
import * as tf from '@tensorflow/tfjs';
import { gemmInputs, thinned, NORM_EPSILON, opInputs, TRAINING } from '../../participants/inputs.ts';
import { prepareOperation } from '../../participants/timing.ts';
import type { GemmWorkload, Prepared, OpSizes, OpWorkload } from '../../types.ts';
import type { StockBackend } from './backend.ts';
import { oneHotFloats, repeatHeads } from './model.ts';

/** `tf.matMul` with its transpose arguments. */
export function prepareGemm(workload: GemmWorkload, stock: StockBackend): Promise<Prepared> {
  const { layout } = workload;
  const { a, b } = gemmInputs(workload);
  const left = tf.tensor2d(a.data, a.shape);
  const right = tf.tensor2d(b.data, b.shape);
  return prepareOperation({
    start: () => tf.matMul(left, right, layout === 'tn', layout === 'nt'),
    finish: () => stock.finish(),
    free: (product) => product.dispose(),
    read: async (product) => thinned(await product.data<'float32'>()),
    release: () => tf.dispose([left, right]),
  });
}

type Inputs = ReadonlyMap<string, tf.Tensor>;

function get(inputs: Inputs, name: string): tf.Tensor {
  const tensor = inputs.get(name);
  if (!tensor) throw new Error(`The op has no input ${name}.`);
  return tensor;
}

/** [batch · length, heads · headDim] to [batch, heads, length, headDim], key and value heads repeated as needed. */
function perHead(x: tf.Tensor, heads: number, { batch, length, headDim, heads: all }: OpSizes): tf.Tensor {
  const split = tf.transpose(tf.reshape(x, [batch, length, heads, headDim]), [0, 2, 1, 3]);
  if (heads === all) return split;
  return repeatHeads(split as tf.Tensor4D, all);
}

/** `qkv` [batch · length, (heads + 2 · kvHeads) · headDim]. */
function attention(qkv: tf.Tensor, mask: tf.Tensor, sizes: OpSizes): tf.Tensor {
  const { batch, length, heads, kvHeads, headDim } = sizes;
  const widths = [heads * headDim, kvHeads * headDim, kvHeads * headDim];
  const [q, k, v] = tf.split(qkv, widths, 1) as [tf.Tensor, tf.Tensor, tf.Tensor];
  const scores = tf.matMul(perHead(q, heads, sizes), perHead(k, kvHeads, sizes), false, true);
  const shares = tf.softmax(tf.add(tf.mul(scores, 1 / Math.sqrt(headDim)), mask));
  const mixed = tf.transpose(tf.matMul(shares, perHead(v, kvHeads, sizes)), [0, 2, 1, 3]);
  return tf.reshape(mixed, [batch * length, heads * headDim]);
}

/** The computation of each op, with a list of its results. The check reads the first. */
function body({ op, sizes }: OpWorkload, inputs: Inputs, mask: tf.Tensor): () => tf.Tensor[] {
  const input = (name: string): tf.Tensor => get(inputs, name);
  switch (op) {
    case 'attention':
      return () => [attention(input('qkv'), mask, sizes)];
    case 'attentionGradient': {
      const gradient = tf.grad((qkv: tf.Tensor) => attention(qkv, mask, sizes));
      return () => [gradient(input('qkv'), input('dy'))];
    }
    case 'rmsNorm':
      return () => {
        const x = input('x');
        const scale = tf.rsqrt(tf.add(tf.mean(tf.square(x), -1, true), NORM_EPSILON));
        return [tf.mul(tf.mul(x, scale), input('gamma'))];
      };
    case 'swiglu':
      return () => {
        const [gate, up] = tf.split(input('gateUp'), 2, 1) as [tf.Tensor, tf.Tensor];
        return [tf.mul(tf.mul(gate, tf.sigmoid(gate)), up)];
      };
    case 'tokenLogprobs':
      return () => {
        const logprobs = tf.logSoftmax(tf.matMul(input('x'), input('head'), false, true));
        const entropy = tf.neg(tf.sum(tf.mul(tf.exp(logprobs), logprobs), 1));
        const chosen = tf.mul(logprobs, oneHotFloats(tf.cast(input('targets'), 'int32'), sizes.vocabulary));
        return [tf.sum(chosen, 1), entropy];
      };
    case 'adamw':
      return () => adamw(input('parameter'), input('gradient'), input('m'), input('v'));
  }
}

/** One update after the first step's bias correction: parameter, m, v. */
function adamw(parameter: tf.Tensor, gradient: tf.Tensor, m: tf.Tensor, v: tf.Tensor): tf.Tensor[] {
  const { learningRate, beta1, beta2, epsilon, weightDecay, clipNorm } = TRAINING;
  const norm = tf.sqrt(tf.sum(tf.square(gradient)));
  const clipped = tf.mul(gradient, tf.minimum(1, tf.div(clipNorm, norm)));
  const nextM = tf.add(tf.mul(m, beta1), tf.mul(clipped, 1 - beta1));
  const nextV = tf.add(tf.mul(v, beta2), tf.mul(tf.square(clipped), 1 - beta2));
  const denominator = tf.add(tf.sqrt(tf.div(nextV, 1 - beta2)), epsilon);
  const direction = tf.div(tf.div(nextM, 1 - beta1), denominator);
  const decayed = tf.mul(parameter, 1 - learningRate * weightDecay);
  return [tf.sub(decayed, tf.mul(direction, learningRate)), nextM, nextV];
}

export function prepareOp(workload: OpWorkload, stock: StockBackend): Promise<Prepared> {
  const { length } = workload.sizes;
  const inputs = new Map(
    [...opInputs(workload)].map(([name, { shape, data }]) => [name, tf.tensor(data, [...shape], 'float32')]),
  );
  const mask = tf.tidy(() => tf.mul(tf.sub(1, tf.linalg.bandPart(tf.ones([length, length]), -1, 0)), -1e9));
  const compute = body(workload, inputs, mask);
  return prepareOperation({
    start: () => tf.tidy(compute),
    finish: () => stock.finish(),
    free: (results) => tf.dispose(results),
    read: async ([first]) => thinned((await first?.data<'float32'>()) ?? new Float32Array()),
    release: () => tf.dispose([mask, ...inputs.values()]),
  });
}
