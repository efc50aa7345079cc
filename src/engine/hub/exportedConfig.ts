/**
 * The `config.json` of weights that are saved here, in both spellings: transformers 5 writes `rope_parameters` and `dtype`; releases up
 * to 4.5x read `rope_theta`, `rope_scaling` and `torch_dtype`, and silently take their defaults if those are missing.
 */
import { z } from 'zod';

const ropeSchema = z.looseObject({
  rope_theta: z.number().nullish(),
  rope_type: z.string().nullish(),
  type: z.string().nullish(),
});
const schema = z.looseObject({
  model_type: z.string().nullish(),
  rope_parameters: ropeSchema.nullish(),
  rope_scaling: ropeSchema.nullish(),
  rope_theta: z.number().nullish(),
});

/** The default θ of every supported family. */
const DEFAULT_THETA = 10000;

/** RoPE in the newer and the older spelling; nothing if the config belongs to no model. */
function ropeOf(config: object): object {
  const parsed = schema.safeParse(config);
  if (!parsed.success || parsed.data.model_type == null) return {};
  const { rope_parameters: newer, rope_scaling: older, rope_theta: stated } = parsed.data;
  const { rope_theta: within, type, rope_type: named, ...rest } = newer ?? older ?? {};
  const theta = within ?? stated ?? DEFAULT_THETA;
  const kind = named ?? type ?? 'default';
  return {
    rope_parameters: { ...rest, rope_theta: theta, rope_type: kind },
    rope_theta: theta,
    rope_scaling: kind === 'default' ? null : { ...rest, rope_type: kind },
  };
}

/**
 * `config` with the facts of the weights beside it. `dtype` is their stored type, to which libraries round them; `tied` says whether the
 * embedding is the head.
 */
export function exportedConfig(
  config: object,
  { dtype, tied }: { readonly dtype: string; readonly tied: boolean },
): object {
  return { ...config, ...ropeOf(config), dtype, torch_dtype: dtype, tie_word_embeddings: tied };
}
