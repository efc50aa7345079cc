/** The graph of a decoder: embedding, blocks, final norm and head, with the cache as inputs and outputs. */
import type { ModelConfig } from '../../model/config.ts';
import type { BlockOps } from './blockOps.ts';
import { cacheNames } from './blockOps.ts';
import type { GraphBuilder } from './graphBuilder.ts';
import type { Value } from './messages.ts';
import type { WeightConstants } from './weightConstants.ts';

/** Inputs as transformers.js feeds decoders; empty caches take `batch_size` from the first name and 0 for the second. */
export function decoderInputs(config: ModelConfig): Value[] {
  const cacheShape = ['batch_size', config.kvHeads, 'past_sequence_length', config.headDim];
  return [
    { name: 'input_ids', type: 'int64', shape: ['batch_size', 'sequence_length'] },
    { name: 'attention_mask', type: 'int64', shape: ['batch_size', 'total_sequence_length'] },
    { name: 'position_ids', type: 'int64', shape: ['batch_size', 'sequence_length'] },
    // How many of the last positions get logits; 0 for all.
    { name: 'num_logits_to_keep', type: 'int64', shape: [] },
    ...Array.from({ length: config.layers }, (_, layer): Value[] => {
      const { pastKey, pastValue } = cacheNames(layer);
      return [
        { name: pastKey, type: 'float32', shape: cacheShape },
        { name: pastValue, type: 'float32', shape: cacheShape },
      ];
    }).flat(),
  ];
}

export function decoderOutputs(config: ModelConfig): Value[] {
  const cacheShape = ['batch_size', config.kvHeads, 'total_sequence_length', config.headDim];
  return [
    { name: 'logits', type: 'float32', shape: ['batch_size', 'logits_sequence_length', config.vocabSize] },
    ...Array.from({ length: config.layers }, (_, layer): Value[] => {
      const { presentKey, presentValue } = cacheNames(layer);
      return [
        { name: presentKey, type: 'float32', shape: cacheShape },
        { name: presentValue, type: 'float32', shape: cacheShape },
      ];
    }).flat(),
  ];
}

/** Adds every node from the token ids to the logits. */
export function buildDecoder(
  graph: GraphBuilder,
  config: ModelConfig,
  weights: WeightConstants,
  ops: BlockOps,
): void {
  const embedding = weights.asIs('model.embed_tokens.weight');
  let residual = graph.op('embedded', 'Gather', [embedding, 'input_ids'], { axis: { int: 0 } });
  let normed = ops.norm(
    'layers.0/input_norm',
    residual,
    weights.asIs('model.layers.0.input_layernorm.weight'),
  );
  for (let layer = 0; layer < config.layers; layer++) {
    const name = `layers.${layer}`;
    const prefix = `model.layers.${layer}`;
    const attended = attention(graph, config, weights, ops, layer, normed);
    const middle = ops.addNorm(
      `${name}/post_attention_norm`,
      residual,
      attended,
      weights.asIs(`${prefix}.post_attention_layernorm.weight`),
    );
    const update = mlp(graph, config, weights, layer, middle.normed);
    const last = layer === config.layers - 1;
    const next = ops.addNorm(
      last ? 'final_norm' : `layers.${layer + 1}/input_norm`,
      middle.sum,
      update,
      weights.asIs(last ? 'model.norm.weight' : `model.layers.${layer + 1}.input_layernorm.weight`),
    );
    residual = next.sum;
    normed = next.normed;
  }
  head(graph, config, weights, embedding, normed);
}

/** `input` times the maps `parts`, side by side, plus their biases where the model has them. */
function project(
  graph: GraphBuilder,
  weights: WeightConstants,
  name: string,
  input: string,
  parts: readonly string[],
  bias: boolean,
): string {
  const matrix = weights.linear(
    `${name}/weight`,
    parts.map((part) => `${part}.weight`),
  );
  if (!bias) return graph.op(name, 'MatMul', [input, matrix]);
  const product = graph.op(`${name}/product`, 'MatMul', [input, matrix]);
  const vector = weights.joined(
    `${name}/bias`,
    parts.map((part) => `${part}.bias`),
  );
  return graph.op(name, 'Add', [product, vector]);
}

function attention(
  graph: GraphBuilder,
  config: ModelConfig,
  weights: WeightConstants,
  ops: BlockOps,
  layer: number,
  input: string,
): string {
  const { heads, kvHeads, headDim } = config;
  const name = `layers.${layer}/attention`;
  const prefix = `model.layers.${layer}.self_attn`;
  const all = project(
    graph,
    weights,
    `${name}/qkv`,
    input,
    [`${prefix}.q_proj`, `${prefix}.k_proj`, `${prefix}.v_proj`],
    config.qkvBias,
  );
  let [query, key] = [`${name}/q`, `${name}/k`];
  const value = `${name}/v`;
  const widths = graph.integers([heads * headDim, kvHeads * headDim, kvHeads * headDim]);
  graph.node('Split', [all, widths], [query, key, value], { axis: { int: -1 } });
  if (config.qkNorm) {
    query = headNorm(graph, config, weights, ops, `${prefix}.q_norm.weight`, query, heads);
    key = headNorm(graph, config, weights, ops, `${prefix}.k_norm.weight`, key, kvHeads);
  }
  const mixed = ops.attention({ layer, query, key, value });
  return project(graph, weights, `${name}/output`, mixed, [`${prefix}.o_proj`], config.outBias);
}

/** RMSNorm of every head by itself. */
function headNorm(
  graph: GraphBuilder,
  config: ModelConfig,
  weights: WeightConstants,
  ops: BlockOps,
  weight: string,
  input: string,
  heads: number,
): string {
  const split = graph.op(`${input}/heads`, 'Reshape', [input, graph.integers([0, 0, heads, config.headDim])]);
  const normed = ops.norm(`${input}/norm`, split, weights.asIs(weight));
  return graph.op(`${input}/normed`, 'Reshape', [normed, graph.integers([0, 0, heads * config.headDim])]);
}

/** SwiGLU. */
function mlp(
  graph: GraphBuilder,
  config: ModelConfig,
  weights: WeightConstants,
  layer: number,
  input: string,
): string {
  const name = `layers.${layer}/mlp`;
  const prefix = `model.layers.${layer}.mlp`;
  const [gate, up] = [`${name}/gate`, `${name}/up`];
  const both = project(
    graph,
    weights,
    `${name}/gate_up`,
    input,
    [`${prefix}.gate_proj`, `${prefix}.up_proj`],
    config.mlpBias,
  );
  graph.node('Split', [both], [gate, up], { axis: { int: -1 }, num_outputs: { int: 2 } });
  const sigmoid = graph.op(`${name}/sigmoid`, 'Sigmoid', [gate]);
  const activated = graph.op(`${name}/silu`, 'Mul', [gate, sigmoid]);
  const product = graph.op(`${name}/product`, 'Mul', [activated, up]);
  return project(graph, weights, `${name}/down`, product, [`${prefix}.down_proj`], config.mlpBias);
}

function head(
  graph: GraphBuilder,
  config: ModelConfig,
  weights: WeightConstants,
  embedding: string,
  normed: string,
): void {
  // Starts counted from the end: -n, and 0 for everything.
  const negated = graph.op('kept/start', 'Neg', ['num_logits_to_keep']);
  const start = graph.op('kept/starts', 'Reshape', [negated, graph.integers([1])]);
  const end = graph.integers([Number.MAX_SAFE_INTEGER]);
  const kept = graph.op('kept', 'Slice', [normed, start, end, graph.integers([1])]);
  // onnxruntime folds the transposed copy into a constant when the session opens.
  const matrix = config.tiedHead
    ? graph.op('head/weight', 'Transpose', [embedding], { perm: { ints: [1, 0] } })
    : weights.linear('head/weight', ['lm_head.weight']);
  graph.op('logits', 'MatMul', [kept, matrix]);
}
