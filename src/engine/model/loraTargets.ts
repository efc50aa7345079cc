/** The linear maps that may be adapted by LoRA, by their Hugging Face names. */

export const LAYER_TARGETS = [
  'q_proj',
  'k_proj',
  'v_proj',
  'o_proj',
  'gate_proj',
  'up_proj',
  'down_proj',
] as const;

/** The maps of each layer, and the head. An adapter of the head acts on the head alone, even if the base model's head is the embedding. */
export const LORA_TARGETS = [...LAYER_TARGETS, 'lm_head'] as const;

export type LoraTarget = (typeof LORA_TARGETS)[number];
