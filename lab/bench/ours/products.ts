/** The products of an update alone: what training would take if nothing else had to be done. */
import { mlpInputs, type GemmLayout, type Microbatch, type ModelConfig } from '@rl-playground/engine/parts';
import { gemm, tf, workDone } from '@rl-playground/engine/parts/tensors';
import { randomFloats } from '../participants/inputs.ts';
import { preparedWork } from '../participants/timing.ts';
import type { Prepared } from '../types.ts';

export interface Product {
  readonly layout: GemmLayout;
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Rows of logits that are computed at once: all of a large vocabulary at once would not fit into a buffer. */
const HEAD_ROWS = 256;
/** The numbers that factors repeat. Constants would draw less current on a GPU, which then clocks higher. */
const DISTINCT_NUMBERS = 65_536;

/** Forward, the gradient of the input and that of the weight, of a map [inputs, outputs] for so many positions. */
const ofMap = (m: number, inputs: number, outputs: number): Product[] => [
  { layout: 'nn', m, n: outputs, k: inputs },
  { layout: 'nt', m, n: inputs, k: outputs },
  { layout: 'tn', m: inputs, n: outputs, k: m },
];

/** The same of the head, a matrix [vocabulary, width]. */
const ofHead = (m: number, width: number, vocabulary: number): Product[] => [
  { layout: 'nt', m, n: vocabulary, k: width },
  { layout: 'nn', m, n: width, k: vocabulary },
  { layout: 'tn', m: vocabulary, n: width, k: m },
];

/**
 * The products of one update of all weights. Behind the last attention only positions that predict a token of an answer go on; what a
 * backward pass computes again is not counted.
 */
export function productsOf(
  config: ModelConfig,
  microbatches: readonly Pick<Microbatch, 'computed' | 'wanted'>[],
): Product[] {
  const { hiddenSize, heads, kvHeads, headDim, mlpSize, layers, vocabSize } = config;
  return microbatches.flatMap(({ computed, wanted: { length: wanted } }) => [
    ...Array.from({ length: layers }, (_, layer) => {
      const rows = layer === layers - 1 ? wanted : computed;
      return [
        ...ofMap(computed, hiddenSize, (heads + 2 * kvHeads) * headDim),
        ...ofMap(rows, heads * headDim, hiddenSize),
        ...ofMap(rows, hiddenSize, mlpInputs(config)),
        ...ofMap(rows, mlpSize, hiddenSize),
      ];
    }).flat(),
    ...Array.from({ length: Math.ceil(wanted / HEAD_ROWS) }, (_, part) =>
      ofHead(Math.min(HEAD_ROWS, wanted - part * HEAD_ROWS), hiddenSize, vocabSize),
    ).flat(),
  ]);
}

/** A tensor of so many numbers, from which factors of all shapes are cut. */
function numbers(seed: number, count: number): tf.Tensor {
  const distinct = randomFloats(seed, Math.min(count, DISTINCT_NUMBERS));
  return tf.tensor1d(Float32Array.from({ length: count }, (_, i) => distinct[i % distinct.length] as number));
}

/** The products one after the other, with nothing between them. */
export async function prepareProducts(products: readonly Product[]): Promise<Prepared> {
  const most = (size: (product: Product) => number): number => Math.max(...products.map(size));
  const left = numbers(
    1,
    most(({ m, k }) => m * k),
  );
  const right = numbers(
    2,
    most(({ n, k }) => n * k),
  );
  const all = async (): Promise<void> => {
    for (const { layout, m, n, k } of products) {
      const a = { tensor: left, offset: 0, shape: layout === 'tn' ? [k, m] : [m, k] };
      const b = { tensor: right, offset: 0, shape: layout === 'nt' ? [n, k] : [k, n] };
      gemm(a, b, layout).dispose();
    }
    await workDone();
  };
  await all();
  return preparedWork(all, null, () => tf.dispose([left, right]));
}
