/** The graph of a decoder: embedding, mask of attention, blocks, final norm and head. */
import {
  type ModelConfig,
  ropeOfLayers,
  ropeTables,
  EMBEDDING,
  FINAL_NORM,
  HEAD,
} from '@rl-playground/engine/parts';
import type { GraphBuilder } from './graphBuilder.ts';
import type { WeightConstants } from './weightConstants.ts';
import { float, int, ints } from './messages.ts';

/**
 * Version of ONNX's standard ops. From 23 on they hold attention, RoPE and RMSNorm whole; composed of smaller ops a
 * rollout takes several times as long on WebGPU.
 */
export const OPSET = 23;

/** The names of a layer's cached keys and values, without the new positions (past) and with them (present). */
export function cacheNames(layer: number) {
  return ['key', 'value'].map((part) => ({
    past: `past_key_values.${layer}.${part}`,
    present: `present.${layer}.${part}`,
  }));
}

const LAST_AXIS = { axis: int(-1) };

export class Decoder {
  readonly #graph: GraphBuilder;
  readonly #config: ModelConfig;
  readonly #weights: WeightConstants;
  /** The tables of cosines and sines, [positions, headDim / 2] each. */
  readonly #rope: readonly [string, string];
  readonly #bias: string;

  constructor(graph: GraphBuilder, config: ModelConfig, weights: WeightConstants) {
    this.#graph = graph;
    this.#config = config;
    this.#weights = weights;
    const { cosines, sines } = ropeTables(config.headDim, ropeOfLayers(config), config.maxPositions);
    const shape = [config.maxPositions, config.headDim / 2];
    this.#rope = [graph.table('rope.cosines', shape, cosines), graph.table('rope.sines', shape, sines)];
    this.#bias = attentionBias(graph);
  }

  /** Adds every node from the token ids to the logits. */
  build(): void {
    const embedding = this.#weights.asIs(EMBEDDING);
    let residual = this.#graph.op('embedded', 'Gather', [embedding, 'input_ids']);
    for (let layer = 0; layer < this.#config.layers; layer++) residual = this.#block(layer, residual);
    this.#head(embedding, this.#norm('final_norm', residual, FINAL_NORM));
  }

  /** Adds one block, from [batch, sequence, D] to the same shape. */
  #block(layer: number, input: string): string {
    const name = `layers.${layer}`;
    const prefix = `model.layers.${layer}`;
    const before = this.#norm(`${name}.input_norm`, input, `${prefix}.input_layernorm.weight`);
    const attended = this.#attention(`${name}.attention`, layer, before);
    const middle = this.#graph.op(`${name}.middle`, 'Add', [input, attended]);
    const weight = `${prefix}.post_attention_layernorm.weight`;
    const after = this.#norm(`${name}.post_attention_norm`, middle, weight);
    const update = this.#mlp(`${name}.mlp`, `${prefix}.mlp`, after);
    return this.#graph.op(`${name}.output`, 'Add', [middle, update]);
  }

  #norm(name: string, input: string, weight: string): string {
    const attributes = { ...LAST_AXIS, epsilon: float(this.#config.rmsEps) };
    return this.#graph.op(name, 'RMSNormalization', [input, this.#weights.asIs(weight)], attributes);
  }

  /** Multiplies by the matrices of `parts`, side by side, and adds their biases if the model has them. */
  #project(name: string, input: string, parts: readonly string[], bias: boolean): string {
    const named = (kind: string): string[] => parts.map((part) => `${part}.${kind}`);
    const matrix = this.#weights.linear(`${name}.weight`, named('weight'));
    if (!bias) return this.#graph.op(name, 'MatMul', [input, matrix]);
    const product = this.#graph.op(`${name}.product`, 'MatMul', [input, matrix]);
    const vector = this.#weights.linear(`${name}.bias`, named('bias'));
    return this.#graph.op(name, 'Add', [product, vector]);
  }

  #attention(name: string, layer: number, input: string): string {
    const { heads, kvHeads, headDim, qkvBias, outBias } = this.#config;
    const prefix = `model.layers.${layer}.self_attn`;
    const parts = ['q_proj', 'k_proj', 'v_proj'].map((part) => `${prefix}.${part}`);
    const all = this.#project(`${name}.qkv`, input, parts, qkvBias);
    const [query, key, value] = [`${name}.query`, `${name}.key`, `${name}.value`];
    const widths = [heads, kvHeads, kvHeads].map((count) => count * headDim);
    this.#graph.node('Split', [all, this.#graph.integers(widths)], [query, key, value], LAST_AXIS);

    const cache = cacheNames(layer);
    const rotatedQuery = this.#rotate(query, `${prefix}.q_norm.weight`, heads);
    const rotatedKey = this.#rotate(key, `${prefix}.k_norm.weight`, kvHeads);
    this.#graph.node(
      'Attention',
      [rotatedQuery, rotatedKey, value, this.#bias, ...cache.map(({ past }) => past)],
      [name, ...cache.map(({ present }) => present)],
      { q_num_heads: int(heads), kv_num_heads: int(kvHeads) },
    );
    return this.#project(`${name}.output`, name, [`${prefix}.o_proj`], outBias);
  }

  /** Applies RoPE over [batch, sequence, heads · headDim], after the norm of every head that Qwen3 has. */
  #rotate(input: string, normWeight: string, heads: number): string {
    const graph = this.#graph;
    const { headDim, qkNorm } = this.#config;
    let normed = input;
    if (qkNorm) {
      const byHead = graph.op(`${input}.heads`, 'Reshape', [input, graph.integers([0, 0, heads, headDim])]);
      const normedHeads = this.#norm(`${input}.norm`, byHead, normWeight);
      normed = graph.op(`${input}.normed`, 'Reshape', [normedHeads, graph.integers([0, 0, heads * headDim])]);
    }
    const inputs = [normed, ...this.#rope, 'position_ids'];
    return graph.op(`${input}.rotated`, 'RotaryEmbedding', inputs, { num_heads: int(heads) });
  }

  /** SwiGLU, or ReLU without a gate. */
  #mlp(name: string, prefix: string, input: string): string {
    const graph = this.#graph;
    const { mlp, mlpBias } = this.#config;
    if (mlp === 'relu') {
      const raised = this.#project(`${name}.up`, input, [`${prefix}.up_proj`], mlpBias);
      const positive = graph.op(`${name}.relu`, 'Relu', [raised]);
      return this.#project(`${name}.down`, positive, [`${prefix}.down_proj`], mlpBias);
    }
    const [gate, up] = [`${name}.gate`, `${name}.up`];
    const parts = [`${prefix}.gate_proj`, `${prefix}.up_proj`];
    const both = this.#project(`${name}.gate_up`, input, parts, mlpBias);
    graph.node('Split', [both], [gate, up], { ...LAST_AXIS, num_outputs: int(2) });
    const activated = graph.op(`${name}.silu`, 'Mul', [gate, graph.op(`${name}.sigmoid`, 'Sigmoid', [gate])]);
    const product = graph.op(`${name}.product`, 'Mul', [activated, up]);
    return this.#project(`${name}.down`, product, [`${prefix}.down_proj`], mlpBias);
  }

  #head(embedding: string, hidden: string): void {
    const graph = this.#graph;
    // A start counted from the end is negative; 0 is the beginning, so that all positions stay.
    const negated = graph.op('kept.start', 'Neg', ['num_logits_to_keep']);
    const start = graph.op('kept.starts', 'Reshape', [negated, graph.integers([1])]);
    const end = graph.integers([Number.MAX_SAFE_INTEGER]);
    const kept = graph.op('kept', 'Slice', [hidden, start, end, graph.integers([1])]);
    // onnxruntime folds the transposed copy into a constant when the session opens.
    const matrix = this.#config.tiedHead
      ? graph.op('head.weight', 'Transpose', [embedding], { perm: ints([1, 0]) })
      : this.#weights.linear('head.weight', [HEAD]);
    graph.op('logits', 'MatMul', [kept, matrix]);
  }
}

/** A finite bias, so that a row of padding, which has nothing to look at, stays free of NaN. */
const MASKED = -1e9;

const BOOL = 9;

/** Adds the bias of attention, [batch, 1, sequence, total]: 0 for keys at which a query may look, a large negative number for others. */
export function attentionBias(graph: GraphBuilder): string {
  const lengthOf = (name: string, input: string): string => {
    const axis = { start: int(1), end: int(2) };
    const vector = graph.op(`${name}.vector`, 'Shape', [input], axis);
    return graph.op(name, 'Squeeze', [vector, graph.integers([0])]);
  };
  const total = lengthOf('total_length', 'attention_mask');
  const past = graph.op('past_length', 'Sub', [total, lengthOf('new_length', 'input_ids')]);
  const one = graph.integer(1);
  const keys = graph.op('key_positions', 'Range', [graph.integer(0), total, one]);
  const queries = graph.op('query_positions', 'Range', [past, total, one]);
  const queryRows = graph.op('query_rows', 'Unsqueeze', [queries, graph.integers([1])]);
  const causal = graph.op('causal', 'LessOrEqual', [keys, queryRows]);
  const tokens = graph.op('tokens', 'Cast', ['attention_mask'], { to: int(BOOL) });
  const tokenColumns = graph.op('token_columns', 'Unsqueeze', [tokens, graph.integers([1, 2])]);
  const allowed = graph.op('allowed', 'And', [causal, tokenColumns]);
  return graph.op('attention_bias', 'Where', [allowed, graph.number(0), graph.number(MASKED)]);
}
