/** The schema of a Hugging Face `config.json`: the fields that are read. */
import { z } from 'zod';

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

/** `rope_parameters` are those of all layers, or of each type of layer under its name. */
const ropeParametersSchema = ropeSchema.extend({
  full_attention: ropeSchema.nullish(),
  sliding_attention: ropeSchema.nullish(),
});

const factor = z.number().positive().nullish();

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
  hidden_activation: z.string().nullish(),
  rms_norm_eps: z.number().positive().nullish(),
  max_position_embeddings: size.nullish(),
  rope_theta: z.number().positive().nullish(),
  rope_local_base_freq: z.number().positive().nullish(),
  rope_scaling: ropeSchema.nullish(),
  rope_parameters: ropeParametersSchema.nullish(),
  no_rope_layers: z.array(z.number()).nullish(),
  no_rope_layer_interval: size.nullish(),
  tie_word_embeddings: z.boolean().nullish(),
  attention_bias: z.boolean().nullish(),
  mlp_bias: z.boolean().nullish(),
  use_sliding_window: z.boolean().nullish(),
  sliding_window: z.number().nullish(),
  sliding_window_pattern: size.nullish(),
  max_window_layers: z.number().nullish(),
  layer_types: z.array(z.string()).nullish(),
  query_pre_attn_scalar: factor,
  attn_logit_softcapping: z.number().nullish(),
  final_logit_softcapping: z.number().nullish(),
  use_bidirectional_attention: z.boolean().nullish(),
  embedding_multiplier: factor,
  attention_multiplier: factor,
  residual_multiplier: factor,
  logits_scaling: factor,
  shared_intermediate_size: size.nullish(),
  num_local_experts: z.number().nullish(),
  position_embedding_type: z.string().nullish(),
  layers_block_type: z.array(z.string()).nullish(),
  quantization_config: z.looseObject({ quant_method: z.string().nullish() }).nullish(),
});

export type RawConfig = z.infer<typeof configSchema>;
export type RawRope = z.infer<typeof ropeSchema>;

/** @throws ModelConfigError for a missing field or one of another kind. */
export function readConfigFile(json: unknown): RawConfig {
  const parsed = configSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new ModelConfigError(
    `config.json: ${parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}.`,
  );
}
