/** Blocks in ops of the ONNX standard alone: any runtime has them. */
import type { ModelConfig } from '../../model/config.ts';
import { ropeTables } from '../../model/rope.ts';
import { cacheNames, type AttentionInputs, type BlockOps } from './blockOps.ts';
import type { GraphBuilder } from './graphBuilder.ts';

/** Finite, so that a row in which everything is masked (padding) stays free of NaN. */
const MASKED = -1e9;

export class StandardOps implements BlockOps {
  readonly opsets = { '': 18 };
  readonly #graph: GraphBuilder;
  readonly #config: ModelConfig;
  /** [batch, 1, sequence, total]: 0 where a query may look, a large negative number elsewhere. */
  readonly #bias: string;
  /** [batch, 1, sequence, headDim / 2] */
  readonly #cosines: string;
  readonly #sines: string;

  constructor(graph: GraphBuilder, config: ModelConfig) {
    this.#graph = graph;
    this.#config = config;
    this.#bias = this.#attentionBias();
    const { cosines, sines } = ropeTables(config, config.maxPositions);
    this.#cosines = this.#rotaryRows('rope/cosines', cosines);
    this.#sines = this.#rotaryRows('rope/sines', sines);
  }

  norm(name: string, input: string, weight: string): string {
    const g = this.#graph;
    // This very sequence of nodes is what onnxruntime recognises and runs as one kernel.
    const squares = g.op(`${name}/squares`, 'Pow', [input, g.number(2)]);
    const mean = g.op(`${name}/mean`, 'ReduceMean', [squares, g.integers([-1])], { keepdims: { int: 1 } });
    const shifted = g.op(`${name}/shifted`, 'Add', [mean, g.number(this.#config.rmsEps)]);
    const root = g.op(`${name}/root`, 'Sqrt', [shifted]);
    const scaled = g.op(`${name}/scaled`, 'Div', [input, root]);
    return g.op(name, 'Mul', [scaled, weight]);
  }

  addNorm(name: string, residual: string, update: string, weight: string) {
    const sum = this.#graph.op(`${name}/sum`, 'Add', [residual, update]);
    return { sum, normed: this.norm(name, sum, weight) };
  }

  attention({ layer, query, key, value }: AttentionInputs): string {
    const g = this.#graph;
    const { heads, kvHeads, headDim } = this.#config;
    const name = `layers.${layer}/attention`;
    const cache = cacheNames(layer);
    const group = heads / kvHeads;

    const queries = this.#rotate(`${name}/query`, this.#byHead(`${name}/query`, query, heads));
    const newKeys = this.#rotate(`${name}/key`, this.#byHead(`${name}/key`, key, kvHeads));
    const newValues = this.#byHead(`${name}/value`, value, kvHeads);
    const keys = g.op(cache.presentKey, 'Concat', [cache.pastKey, newKeys], { axis: { int: 2 } });
    const values = g.op(cache.presentValue, 'Concat', [cache.pastValue, newValues], { axis: { int: 2 } });

    // Queries that share a key head lie below each other as rows of one product: no key is repeated.
    const scale = g.number(headDim ** -0.5);
    const scaledQueries = g.op(`${name}/query/scaled`, 'Mul', [queries, scale]);
    const grouped =
      group === 1
        ? scaledQueries
        : g.op(`${name}/query/grouped`, 'Reshape', [scaledQueries, g.integers([0, kvHeads, -1, headDim])]);
    const keysTransposed = g.op(`${name}/key/transposed`, 'Transpose', [keys], {
      perm: { ints: [0, 1, 3, 2] },
    });
    const products = g.op(`${name}/products`, 'MatMul', [grouped, keysTransposed]);
    const scores =
      group === 1 ? products : g.op(`${name}/scores`, 'Reshape', [products, this.#scoreShape(heads)]);
    const biased = g.op(`${name}/biased`, 'Add', [scores, this.#bias]);
    const weights = g.op(`${name}/weights`, 'Softmax', [biased], { axis: { int: -1 } });
    const groupedWeights =
      group === 1
        ? weights
        : g.op(`${name}/weights/grouped`, 'Reshape', [weights, this.#scoreShape(kvHeads)]);
    const mixed = g.op(`${name}/mixed`, 'MatMul', [groupedWeights, values]);
    const mixedByHead =
      group === 1
        ? mixed
        : g.op(`${name}/mixed/heads`, 'Reshape', [mixed, g.integers([0, heads, -1, headDim])]);
    const rows = g.op(`${name}/rows`, 'Transpose', [mixedByHead], { perm: { ints: [0, 2, 1, 3] } });
    return g.op(name, 'Reshape', [rows, g.integers([0, 0, heads * headDim])]);
  }

  /** Shape [batch, heads, rows, total] of scores, whose batch and total are only known at run time. */
  #scoreShape(heads: number): string {
    const g = this.#graph;
    const name = `scores/shape/${heads}`;
    return g.has(name)
      ? name
      : g.op(name, 'Concat', [g.integers([0, heads, -1]), 'total'], { axis: { int: 0 } });
  }

  /** [batch, sequence, heads · headDim] → [batch, heads, sequence, headDim] */
  #byHead(name: string, input: string, heads: number): string {
    const g = this.#graph;
    const split = g.op(`${name}/split`, 'Reshape', [input, g.integers([0, 0, heads, this.#config.headDim])]);
    return g.op(`${name}/heads`, 'Transpose', [split], { perm: { ints: [0, 2, 1, 3] } });
  }

  /** RoPE in Hugging Face's arrangement: the two numbers of a pair lie headDim / 2 apart. */
  #rotate(name: string, input: string): string {
    const g = this.#graph;
    const [first, second] = [`${name}/first`, `${name}/second`];
    g.node('Split', [input], [first, second], { axis: { int: -1 }, num_outputs: { int: 2 } });
    const negated = g.op(`${name}/negated`, 'Neg', [second]);
    const turned = g.op(`${name}/turned`, 'Concat', [negated, first], { axis: { int: -1 } });
    const along = g.op(`${name}/along`, 'Mul', [input, this.#cosines]);
    const across = g.op(`${name}/across`, 'Mul', [turned, this.#sines]);
    return g.op(`${name}/rotated`, 'Add', [along, across]);
  }

  /** A table's rows at the positions of this call: [batch, 1, sequence, headDim]. */
  #rotaryRows(name: string, half: Float32Array): string {
    const g = this.#graph;
    const { headDim, maxPositions } = this.#config;
    const table = g.initializer(`${name}/table`, 'float32', [maxPositions, headDim], () => {
      const pairs = headDim / 2;
      return Float32Array.from({ length: maxPositions * headDim }, (_, i) => {
        const row = Math.floor(i / headDim);
        return half[row * pairs + ((i % headDim) % pairs)] ?? 0;
      });
    });
    const rows = g.op(`${name}/rows`, 'Gather', [table, 'position_ids'], { axis: { int: 0 } });
    return g.op(name, 'Unsqueeze', [rows, g.integers([1])]);
  }

  #attentionBias(): string {
    const g = this.#graph;
    const one = { start: { int: 1 }, end: { int: 2 } };
    // [total] and [sequence] as one-element vectors.
    const total = g.op('total', 'Shape', ['attention_mask'], one);
    const sequence = g.op('sequence', 'Shape', ['input_ids'], one);
    const past = g.op('past', 'Sub', [total, sequence]);
    const totalScalar = g.op('total/scalar', 'Squeeze', [total, g.integers([0])]);
    const pastScalar = g.op('past/scalar', 'Squeeze', [past, g.integers([0])]);
    const columns = g.op('mask/columns', 'Range', [g.integer(0), totalScalar, g.integer(1)]);
    const rowNumbers = g.op('mask/rows/numbers', 'Range', [pastScalar, totalScalar, g.integer(1)]);
    const rows = g.op('mask/rows', 'Unsqueeze', [rowNumbers, g.integers([1])]);
    const causal = g.op('mask/causal', 'LessOrEqual', [columns, rows]);
    const present = g.op('mask/present', 'Cast', ['attention_mask'], { to: { int: 9 } });
    const presentColumns = g.op('mask/present/columns', 'Unsqueeze', [present, g.integers([1, 2])]);
    const allowed = g.op('mask/allowed', 'And', [causal, presentColumns]);
    return g.op('mask/bias', 'Where', [allowed, g.number(0), g.number(MASKED)]);
  }
}
