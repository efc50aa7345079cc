/** Names, shapes and layout of every parameter of a model. The order of the list is the order of everything else. */
import type { ModelConfig } from './config.ts';

export interface ParameterSpec {
  /** Hugging Face's name. */
  readonly name: string;
  /** Shape in a Hugging Face file: linear weights are [out, in]. */
  readonly hfShape: readonly number[];
  /** Shape on our devices: linear weights are [in, out], so that a forward matmul transposes nothing. */
  readonly shape: readonly number[];
  readonly transposed: boolean;
  /** Weight decay acts on matrices, not on norms and biases. */
  readonly decay: boolean;
}

function vector(name: string, length: number): ParameterSpec {
  return { name, hfShape: [length], shape: [length], transposed: false, decay: false };
}

function table(name: string, rows: number, columns: number): ParameterSpec {
  return { name, hfShape: [rows, columns], shape: [rows, columns], transposed: false, decay: true };
}

function linear(name: string, inputs: number, outputs: number, bias: boolean): ParameterSpec[] {
  const weight: ParameterSpec = {
    name: `${name}.weight`,
    hfShape: [outputs, inputs],
    shape: [inputs, outputs],
    transposed: true,
    decay: true,
  };
  return bias ? [weight, vector(`${name}.bias`, outputs)] : [weight];
}

/** The parameters of one block, in order of use. */
export function layerParameterSpecs(config: ModelConfig, layer: number): ParameterSpec[] {
  const prefix = `model.layers.${layer}`;
  const { hiddenSize, mlpSize, headDim } = config;
  const queries = config.heads * headDim;
  const keys = config.kvHeads * headDim;
  return [
    vector(`${prefix}.input_layernorm.weight`, hiddenSize),
    ...linear(`${prefix}.self_attn.q_proj`, hiddenSize, queries, config.qkvBias),
    ...linear(`${prefix}.self_attn.k_proj`, hiddenSize, keys, config.qkvBias),
    ...linear(`${prefix}.self_attn.v_proj`, hiddenSize, keys, config.qkvBias),
    ...(config.qkNorm
      ? [
          vector(`${prefix}.self_attn.q_norm.weight`, headDim),
          vector(`${prefix}.self_attn.k_norm.weight`, headDim),
        ]
      : []),
    ...linear(`${prefix}.self_attn.o_proj`, queries, hiddenSize, config.outBias),
    vector(`${prefix}.post_attention_layernorm.weight`, hiddenSize),
    ...linear(`${prefix}.mlp.gate_proj`, hiddenSize, mlpSize, config.mlpBias),
    ...linear(`${prefix}.mlp.up_proj`, hiddenSize, mlpSize, config.mlpBias),
    ...linear(`${prefix}.mlp.down_proj`, mlpSize, hiddenSize, config.mlpBias),
  ];
}

/** Every parameter in a fixed order: embedding, blocks, final norm, and the head where it is not tied. */
export function parameterSpecs(config: ModelConfig): ParameterSpec[] {
  return [
    table('model.embed_tokens.weight', config.vocabSize, config.hiddenSize),
    ...Array.from({ length: config.layers }, (_, layer) => layerParameterSpecs(config, layer)).flat(),
    vector('model.norm.weight', config.hiddenSize),
    ...(config.tiedHead ? [] : [table('lm_head.weight', config.vocabSize, config.hiddenSize)]),
  ];
}

/** Number of trained scalars; a tied head is counted once. */
export function parameterCount(config: ModelConfig): number {
  return parameterSpecs(config).reduce(
    (sum, spec) => sum + spec.hfShape.reduce((product, extent) => product * extent, 1),
    0,
  );
}
