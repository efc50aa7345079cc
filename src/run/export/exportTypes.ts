/** The forms in which other programs get a run's model. */

/** `merged`: a folder that transformers loads; `peft`: the LoRA adapter; `onnx`: for transformers.js; `gguf`: for llama.cpp. */
export const EXPORT_FORMATS = ['merged', 'peft', 'onnx', 'gguf'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The types of stored weights. `base` keeps for each tensor that of the model from which the run began. */
export const WEIGHT_TYPES = ['F32', 'F16', 'BF16', 'base'] as const;
export type WeightType = (typeof WEIGHT_TYPES)[number];
