/** The exports of a run's model for other programs. */

/** `merged`: a folder that transformers loads; `peft`: the LoRA adapter; `onnx`: for transformers.js; `gguf`: for llama.cpp. */
export const EXPORT_FORMATS = ['merged', 'peft', 'onnx', 'gguf'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The types that weights are stored as; `base` keeps each tensor as in the model that the run began from. */
export const WEIGHT_TYPES = ['F32', 'F16', 'BF16', 'base'] as const;
export type WeightType = (typeof WEIGHT_TYPES)[number];
