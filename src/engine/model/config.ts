/** The architecture of a causal LM of the Llama family and its relatives, read from a Hugging Face `config.json`. */
import { z } from 'zod';
import { ModelConfigError, readConfigFile, type RawConfig } from './configFile.ts';
import {
  hasRope,
  layerAttentionOf,
  NO_WINDOWS,
  WINDOW_ABOVE,
  WINDOW_BETWEEN,
  WINDOW_EVERYWHERE,
  WINDOW_WITHOUT_ROPE,
  type LayerAttention,
  type RopeRule,
  type WindowRule,
} from './layerAttention.ts';

export interface ModelConfig {
  readonly modelType: ModelType;
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly mlpSize: number;
  /** `swiglu`: down(silu(gate) ⊙ up). `geglu`: down(gelu(gate) ⊙ up). `relu`: down(relu(up)), without a gate. */
  readonly mlp: 'swiglu' | 'geglu' | 'relu';
  /** True if a file has gate and up as one matrix, `shared_mlp.input_linear` (Granite 4). */
  readonly fusedMlp: boolean;
  readonly rmsEps: number;
  /** The number that is added to the scales of all norms: Gemma's files hold them less 1. */
  readonly normShift: 0 | 1;
  /** RMSNorms behind attention and MLP, before their sums with the residual (Gemma 3). */
  readonly normsBehind: boolean;
  /** The windows and rotations, layer by layer. */
  readonly attention: readonly LayerAttention[];
  /** The factor on the products of queries and keys. */
  readonly attentionScale: number;
  /** The factors on embeddings, on what attention and MLP add, and on logits. */
  readonly embeddingScale: number;
  readonly residualScale: number;
  readonly logitScale: number;
  readonly maxPositions: number;
  readonly tiedHead: boolean;
  /** Bias on q, k and v (Qwen2); Llama's `attention_bias` also puts one on o. */
  readonly qkvBias: boolean;
  readonly outBias: boolean;
  readonly mlpBias: boolean;
  /** RMSNorm over each head of q and k before RoPE (Qwen3, Gemma 3). */
  readonly qkNorm: boolean;
}

type Scales = Pick<ModelConfig, 'attentionScale' | 'embeddingScale' | 'residualScale' | 'logitScale'>;

/** The meaning of a family's configs. A value that a config does not state is that of transformers. */
interface Family {
  readonly mlp: ModelConfig['mlp'];
  /** The activation that is supported, in words, and that of a config that states none. */
  readonly fusedMlp: boolean;
  readonly activation: { readonly name: string; readonly text: string; readonly absent: string };
  readonly positions: number;
  readonly rmsEps: number;
  readonly tiedHead: boolean;
  readonly headDim: number | null;
  readonly windows: WindowRule;
  readonly rotations: RopeRule;
  /** `always` is on q, k and v alone. */
  readonly attentionBias: 'always' | 'read' | 'never';
  readonly readsMlpBias: boolean;
  readonly qkNorm: boolean;
  readonly normsBehind: boolean;
  readonly normShift: 0 | 1;
  readonly scales: (raw: RawConfig) => Partial<Scales>;
}

const LLAMA: Family = {
  mlp: 'swiglu',
  fusedMlp: false,
  activation: { name: 'silu', text: 'silu (SwiGLU)', absent: 'silu' },
  positions: 2048,
  rmsEps: 1e-6,
  tiedHead: false,
  headDim: null,
  windows: NO_WINDOWS,
  rotations: { theta: 10_000, localTheta: null, has: () => true },
  attentionBias: 'read',
  readsMlpBias: true,
  qkNorm: false,
  normsBehind: false,
  normShift: 0,
  scales: () => ({}),
};

const GRANITE: Family = {
  ...LLAMA,
  scales: (raw) => ({
    attentionScale: raw.attention_multiplier ?? 1,
    embeddingScale: raw.embedding_multiplier ?? 1,
    residualScale: raw.residual_multiplier ?? 1,
    logitScale: 1 / (raw.logits_scaling ?? 1),
  }),
};

const FAMILIES = {
  llama: LLAMA,
  mistral: {
    ...LLAMA,
    positions: 131_072,
    windows: WINDOW_EVERYWHERE,
    attentionBias: 'never',
    readsMlpBias: false,
  },
  qwen2: {
    ...LLAMA,
    positions: 32_768,
    windows: WINDOW_ABOVE,
    attentionBias: 'always',
    readsMlpBias: false,
  },
  qwen3: {
    ...LLAMA,
    positions: 32_768,
    headDim: 128,
    windows: WINDOW_ABOVE,
    readsMlpBias: false,
    qkNorm: true,
  },
  // Arcee's own models square the output of ReLU.
  arcee: {
    ...LLAMA,
    mlp: 'relu',
    activation: { name: 'relu', text: 'relu', absent: 'relu2' },
    positions: 4096,
    rmsEps: 1e-5,
  },
  gemma3_text: {
    ...LLAMA,
    mlp: 'geglu',
    activation: { name: 'gelu_pytorch_tanh', text: 'gelu_pytorch_tanh (GeGLU)', absent: 'gelu_pytorch_tanh' },
    positions: 131_072,
    tiedHead: true,
    headDim: 256,
    windows: WINDOW_BETWEEN,
    rotations: { theta: 1_000_000, localTheta: 10_000, has: () => true },
    readsMlpBias: false,
    qkNorm: true,
    normsBehind: true,
    normShift: 1,
    scales: (raw) => ({
      attentionScale: 1 / Math.sqrt(raw.query_pre_attn_scalar ?? 256),
      embeddingScale: Math.sqrt(raw.hidden_size),
    }),
  },
  smollm3: {
    ...LLAMA,
    positions: 32_768,
    tiedHead: true,
    windows: WINDOW_WITHOUT_ROPE,
    rotations: { theta: 2_000_000, localTheta: null, has: hasRope },
  },
  granite: GRANITE,
  // Granite 4, the models of attention alone.
  granitemoehybrid: {
    ...GRANITE,
    fusedMlp: true,
    rotations: { ...LLAMA.rotations, has: (raw) => raw.position_embedding_type === 'rope' },
    readsMlpBias: false,
  },
} as const satisfies Readonly<Record<string, Family>>;

export type ModelType = keyof typeof FAMILIES;

export const MODEL_TYPES = Object.keys(FAMILIES) as readonly ModelType[];

const SUPPORTED = MODEL_TYPES.join(', ');

/** Architectures that people may take for supported ones, and the part of each that is missing. */
const MISSING_OF_TYPE: readonly (readonly [types: RegExp, part: string])[] = [
  [/moe|mixtral/, 'a mixture of experts'],
  [/^gemma2?$/, 'soft-capped scores or another norm of embeddings'],
  [/^gemma3$/, 'images beside text (gemma3_text is without)'],
  [/mamba|bamba|jamba|falcon_h1|zamba/, 'state space layers'],
];

function modelTypeOf(found: string): ModelType {
  const known = MODEL_TYPES.find((type) => type === found);
  if (known) return known;
  const [, part] = MISSING_OF_TYPE.find(([types]) => types.test(found)) ?? [];
  throw new ModelConfigError(
    `config.json: model_type is "${found}"${part === undefined ? '' : `, with ${part}, which is missing here`}; supported are ${SUPPORTED}. Choose a model of one of these.`,
  );
}

/** Granite 4 has models with state space layers and with experts under one type. */
function checkFused(raw: RawConfig): void {
  const types = raw.layer_types ?? raw.layers_block_type ?? ['mamba'];
  const other = types.find((type) => type !== 'attention' && type !== 'full_attention');
  if (other !== undefined)
    throw new ModelConfigError(
      `config.json: layer_types has "${other}"; state space layers are missing here. Choose a Granite whose layers are all attention.`,
    );
  const experts = raw.num_local_experts ?? 8;
  if (experts > 0)
    throw new ModelConfigError(
      `config.json: num_local_experts is ${experts}; a mixture of experts is missing here. Choose a dense Granite.`,
    );
}

function headDimOf(raw: RawConfig, usual: number | null): number {
  const stated = raw.head_dim ?? usual;
  if (stated !== null) return stated;
  if (raw.hidden_size % raw.num_attention_heads !== 0)
    throw new ModelConfigError(
      `config.json: hidden_size ${raw.hidden_size} is no multiple of num_attention_heads ${raw.num_attention_heads}, and head_dim is not given.`,
    );
  return raw.hidden_size / raw.num_attention_heads;
}

/** Parts of published models that are not built. */
const MISSING = [
  ['attn_logit_softcapping', 'soft-capped attention scores'],
  ['final_logit_softcapping', 'soft-capped logits'],
  ['use_bidirectional_attention', 'attention to later positions'],
] as const satisfies readonly (readonly [field: keyof RawConfig, part: string])[];

function refuseMissing(raw: RawConfig): void {
  for (const [field, part] of MISSING) {
    const value = raw[field];
    if (value != null && value !== false)
      throw new ModelConfigError(
        `config.json: ${field} is ${value}; a model with ${part} is not supported, and without it would be another model.`,
      );
  }
  if (raw.quantization_config)
    throw new ModelConfigError(
      `config.json: the weights are quantized (quantization_config: ${raw.quantization_config.quant_method ?? 'of no named method'}); supported are F32, F16 and BF16. Load the model that it was made from; baseFormat q8 or q4 quantizes here.`,
    );
}

/**
 * Reads the parsed JSON of a Hugging Face `config.json`. Missing fields take the defaults of transformers' configs, except the sizes,
 * which must be there.
 *
 * @throws ModelConfigError for a malformed file and for an architecture that this project does not run.
 */
export function parseModelConfig(json: unknown): ModelConfig {
  // The family comes first: another architecture's missing fields would hide the real reason.
  const declared = z.looseObject({ model_type: z.string() }).safeParse(json);
  if (!declared.success)
    throw new ModelConfigError(
      `config.json: needs a JSON object with the text field "model_type" (${SUPPORTED}), found none.`,
    );
  const modelType = modelTypeOf(declared.data.model_type);
  const family: Family = FAMILIES[modelType];
  const raw = readConfigFile(json);
  const { name, text, absent } = family.activation;
  const activation = raw.hidden_activation ?? raw.hidden_act ?? absent;
  if (activation !== name)
    throw new ModelConfigError(`config.json: hidden_act is "${activation}"; supported is ${text}.`);
  refuseMissing(raw);
  if (family.fusedMlp) checkFused(raw);
  const maxPositions = raw.max_position_embeddings ?? family.positions;
  const heads = raw.num_attention_heads;
  const kvHeads = raw.num_key_value_heads ?? heads;
  if (heads % kvHeads !== 0)
    throw new ModelConfigError(
      `config.json: num_attention_heads ${heads} must be a multiple of num_key_value_heads ${kvHeads}.`,
    );
  const headDim = headDimOf(raw, family.headDim);
  if (headDim % 2 !== 0)
    throw new ModelConfigError(`config.json: head_dim must be even for RoPE, found ${headDim}.`);
  const attentionBias = family.attentionBias === 'read' && (raw.attention_bias ?? false);

  return {
    modelType,
    vocabSize: raw.vocab_size,
    hiddenSize: raw.hidden_size,
    layers: raw.num_hidden_layers,
    heads,
    kvHeads,
    headDim,
    mlpSize: family.fusedMlp ? (raw.shared_intermediate_size ?? 1024) : raw.intermediate_size,
    mlp: family.mlp,
    fusedMlp: family.fusedMlp,
    rmsEps: raw.rms_norm_eps ?? family.rmsEps,
    normShift: family.normShift,
    normsBehind: family.normsBehind,
    attention: layerAttentionOf(raw, family.windows, family.rotations, maxPositions),
    attentionScale: 1 / Math.sqrt(headDim),
    embeddingScale: 1,
    residualScale: 1,
    logitScale: 1,
    ...family.scales(raw),
    maxPositions,
    tiedHead: raw.tie_word_embeddings ?? family.tiedHead,
    qkvBias: family.attentionBias === 'always' || attentionBias,
    outBias: attentionBias,
    mlpBias: family.readsMlpBias && (raw.mlp_bias ?? false),
    qkNorm: family.qkNorm,
  };
}
