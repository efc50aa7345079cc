/** The architecture of a Llama-shaped causal LM, read from a Hugging Face `config.json`. */
import { z } from 'zod';

export interface RopeScaling {
  readonly type: 'linear' | 'llama3';
  readonly factor: number;
  /** A factor that only llama3 has. */
  readonly lowFreqFactor: number;
  readonly highFreqFactor: number;
  readonly originalMaxPositions: number;
}

const MODEL_TYPES = ['llama', 'mistral', 'qwen2', 'qwen3', 'arcee'] as const;
type ModelType = (typeof MODEL_TYPES)[number];

export interface ModelConfig {
  readonly modelType: ModelType;
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly mlpSize: number;
  /** `swiglu`: down(silu(gate) ⊙ up). `relu`: down(relu(up)), without a gate. */
  readonly mlp: 'swiglu' | 'relu';
  readonly rmsEps: number;
  readonly ropeTheta: number;
  readonly ropeScaling: RopeScaling | null;
  readonly maxPositions: number;
  readonly tiedHead: boolean;
  /** Bias on q, k and v (Qwen2); Llama's `attention_bias` also puts one on o. */
  readonly qkvBias: boolean;
  readonly outBias: boolean;
  readonly mlpBias: boolean;
  /** RMSNorm over each head of q and k before RoPE (Qwen3). */
  readonly qkNorm: boolean;
}

/** A `config.json` that this project can't run. The message names the field, what was found and what is supported. */
export class ModelConfigError extends Error {
  override readonly name = 'ModelConfigError';
}

/** One side of a tensor: 31 bits, far beyond any model. */
const size = z
  .number()
  .int()
  .positive()
  .max(2 ** 31 - 1);
/** The most layers. Lists are made of layers, even for a plan, which has no weights to compare them with; the largest models have some hundred. */
const MOST_LAYERS = 10_000;

const ropeSchema = z.looseObject({
  rope_type: z.string().nullish(),
  type: z.string().nullish(),
  rope_theta: z.number().positive().nullish(),
  factor: z.number().positive().nullish(),
  low_freq_factor: z.number().positive().nullish(),
  high_freq_factor: z.number().positive().nullish(),
  original_max_position_embeddings: size.nullish(),
  partial_rotary_factor: z.number().nullish(),
});

const configSchema = z.looseObject({
  model_type: z.string(),
  vocab_size: size,
  hidden_size: size,
  num_hidden_layers: size.max(MOST_LAYERS, {
    error: ({ input }) => `found ${String(input)}; models of up to ${MOST_LAYERS} layers are read`,
  }),
  num_attention_heads: size,
  num_key_value_heads: size.nullish(),
  head_dim: size.nullish(),
  intermediate_size: size,
  hidden_act: z.string().nullish(),
  rms_norm_eps: z.number().positive().nullish(),
  max_position_embeddings: size.nullish(),
  rope_theta: z.number().positive().nullish(),
  rope_scaling: ropeSchema.nullish(),
  rope_parameters: ropeSchema.nullish(),
  tie_word_embeddings: z.boolean().nullish(),
  attention_bias: z.boolean().nullish(),
  mlp_bias: z.boolean().nullish(),
  use_sliding_window: z.boolean().nullish(),
  sliding_window: z.number().nullish(),
  max_window_layers: z.number().nullish(),
  quantization_config: z.looseObject({ quant_method: z.string().nullish() }).nullish(),
  layer_types: z.array(z.string()).nullish(),
});

type RawConfig = z.infer<typeof configSchema>;
type RawRope = z.infer<typeof ropeSchema>;

const SUPPORTED = MODEL_TYPES.join(', ');

function modelTypeOf(found: string): ModelType {
  const known = MODEL_TYPES.find((type) => type === found);
  if (known) return known;
  throw new ModelConfigError(
    `config.json: model_type is "${found}"; supported are ${SUPPORTED}. Choose a model of one of these.`,
  );
}

function ropeScalingOf(rope: RawRope | null, maxPositions: number): RopeScaling | null {
  const type = rope?.rope_type ?? rope?.type ?? 'default';
  if (rope === null || type === 'default') return null;
  if (type !== 'linear' && type !== 'llama3')
    throw new ModelConfigError(
      `config.json: RoPE scaling of type "${type}" is not supported; supported are none, linear and llama3.`,
    );
  const required = (name: 'factor' | 'low_freq_factor' | 'high_freq_factor'): number => {
    const value = rope[name];
    if (typeof value === 'number') return value;
    throw new ModelConfigError(
      `config.json: RoPE scaling of type ${type} needs a number in "${name}", found none.`,
    );
  };
  const factor = required('factor');
  if (type === 'linear') {
    return { type, factor, lowFreqFactor: 1, highFreqFactor: 1, originalMaxPositions: maxPositions };
  }
  const lowFreqFactor = required('low_freq_factor');
  const highFreqFactor = required('high_freq_factor');
  if (highFreqFactor <= lowFreqFactor)
    throw new ModelConfigError(
      `config.json: llama3 RoPE scaling needs high_freq_factor > low_freq_factor, found ${highFreqFactor} and ${lowFreqFactor}.`,
    );
  const originalMaxPositions = rope.original_max_position_embeddings;
  if (typeof originalMaxPositions !== 'number')
    throw new ModelConfigError(
      'config.json: RoPE scaling of type llama3 needs a number in "original_max_position_embeddings", found none.',
    );
  return { type, factor, lowFreqFactor, highFreqFactor, originalMaxPositions };
}

/** The window of a config that states none, for Mistral and Qwen (Qwen's is off, though). */
const DEFAULT_WINDOW = 4096;

/** True if some layer looks no further back than the window. Llama and Arcee have no window, and Mistral's belongs to every layer. */
function usesWindow(raw: RawConfig): boolean {
  if (raw.model_type === 'llama' || raw.model_type === 'arcee' || raw.sliding_window === null) return false;
  if (raw.model_type === 'mistral') return true;
  if (raw.layer_types != null) return raw.layer_types.some((type) => type !== 'full_attention');
  return raw.use_sliding_window === true && (raw.max_window_layers ?? 28) < raw.num_hidden_layers;
}

/** Refuses a sliding window, except one of Qwen's that is no shorter than the context: it hides nothing. */
function rejectSlidingWindow(raw: RawConfig, maxPositions: number): void {
  if (!usesWindow(raw)) return;
  const window = raw.sliding_window ?? DEFAULT_WINDOW;
  if (window >= maxPositions && raw.model_type !== 'mistral') return;
  const absent =
    raw.sliding_window === undefined ? ', which is what a config without sliding_window has' : '';
  throw new ModelConfigError(
    `config.json: sliding_window: a sliding window of ${window} positions is in use${absent}; supported is full attention in every layer (null).`,
  );
}

/** The positions in transformers' configs that state none. */
const DEFAULT_POSITIONS: Readonly<Record<ModelType, number>> = {
  llama: 2048,
  mistral: 131_072,
  qwen2: 32_768,
  qwen3: 32_768,
  arcee: 4096,
};

/**
 * The activation that is supported for each kind of MLP, and the `hidden_act` of a config that states none: Arcee's own models square the
 * output of ReLU.
 */
const ACTIVATIONS = {
  swiglu: { name: 'silu', text: 'silu (SwiGLU)', absent: 'silu' },
  relu: { name: 'relu', text: 'relu', absent: 'relu2' },
} as const satisfies Readonly<Record<ModelConfig['mlp'], object>>;

function headDimOf(raw: RawConfig, modelType: ModelType): number {
  if (raw.head_dim != null) return raw.head_dim;
  if (modelType === 'qwen3') return 128;
  if (raw.hidden_size % raw.num_attention_heads !== 0)
    throw new ModelConfigError(
      `config.json: hidden_size ${raw.hidden_size} is no multiple of num_attention_heads ${raw.num_attention_heads}, and head_dim is not given.`,
    );
  return raw.hidden_size / raw.num_attention_heads;
}

/**
 * Reads the parsed JSON of a Hugging Face `config.json`. Missing fields take the defaults of transformers' `LlamaConfig`,
 * `MistralConfig`, `Qwen2Config`, `Qwen3Config` and `ArceeConfig`, except the sizes, which must be there.
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
  const parsed = configSchema.safeParse(json);
  if (!parsed.success)
    throw new ModelConfigError(
      `config.json: ${parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}.`,
    );
  const raw = parsed.data;
  const mlp = modelType === 'arcee' ? 'relu' : 'swiglu';
  const { name, text, absent } = ACTIVATIONS[mlp];
  const activation = raw.hidden_act ?? absent;
  if (activation !== name)
    throw new ModelConfigError(`config.json: hidden_act is "${activation}"; supported is ${text}.`);
  if (raw.quantization_config)
    throw new ModelConfigError(
      `config.json: the weights are quantized (quantization_config: ${raw.quantization_config.quant_method ?? 'of no named method'}); supported are F32, F16 and BF16. Load the model that it was made from; baseFormat q8 or q4 quantizes here.`,
    );
  const maxPositions = raw.max_position_embeddings ?? DEFAULT_POSITIONS[modelType];
  rejectSlidingWindow(raw, maxPositions);

  const rope = raw.rope_parameters ?? raw.rope_scaling ?? null;
  if (rope?.partial_rotary_factor != null && rope.partial_rotary_factor !== 1)
    throw new ModelConfigError(
      `config.json: partial_rotary_factor is ${rope.partial_rotary_factor}; supported is 1 (RoPE over the whole head).`,
    );
  const heads = raw.num_attention_heads;
  const kvHeads = raw.num_key_value_heads ?? heads;
  if (heads % kvHeads !== 0)
    throw new ModelConfigError(
      `config.json: num_attention_heads ${heads} must be a multiple of num_key_value_heads ${kvHeads}.`,
    );
  const headDim = headDimOf(raw, modelType);
  if (headDim % 2 !== 0)
    throw new ModelConfigError(`config.json: head_dim must be even for RoPE, found ${headDim}.`);
  const attentionBias = modelType !== 'mistral' && (raw.attention_bias ?? false);

  return {
    modelType,
    vocabSize: raw.vocab_size,
    hiddenSize: raw.hidden_size,
    layers: raw.num_hidden_layers,
    heads,
    kvHeads,
    headDim,
    mlpSize: raw.intermediate_size,
    mlp,
    rmsEps: raw.rms_norm_eps ?? (modelType === 'arcee' ? 1e-5 : 1e-6),
    ropeTheta: raw.rope_parameters?.rope_theta ?? raw.rope_theta ?? 10000,
    ropeScaling: ropeScalingOf(rope, maxPositions),
    maxPositions,
    tiedHead: raw.tie_word_embeddings ?? false,
    qkvBias: modelType === 'qwen2' || attentionBias,
    outBias: modelType !== 'qwen2' && attentionBias,
    mlpBias: (modelType === 'llama' || modelType === 'arcee') && (raw.mlp_bias ?? false),
    qkNorm: modelType === 'qwen3',
  };
}
