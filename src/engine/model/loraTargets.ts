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

/** Modules that hold targets under another name: Granite 4's gate and up are one matrix, and get one pair of factors. */
const FUSED: Readonly<Record<string, readonly LoraTarget[]>> = {
  input_linear: ['gate_proj', 'up_proj'],
  output_linear: ['down_proj'],
};

/** The targets that a module with this last name holds. */
export const targetsIn = (module: string): readonly string[] => FUSED[module] ?? [module];

/** The names of a fused model's modules for targets, as PEFT lists them. */
export const fusedNames = (targets: readonly LoraTarget[]): string[] => [
  ...targets.filter((target) => !Object.values(FUSED).flat().includes(target)),
  ...Object.keys(FUSED).filter((name) => FUSED[name]?.some((target) => targets.includes(target))),
];

export type LoraTarget = (typeof LORA_TARGETS)[number];
