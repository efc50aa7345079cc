/** A run that is large enough for weights, activations and logits to count beside its plan, and small enough for a test. */
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';

export const MEASURED_SHAPE = {
  hidden_size: 128,
  intermediate_size: 352,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  vocab_size: 3072,
};

export const MEASURED_CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  loss: 'reinforce',
  baseline: 'moving',
  numGenerators: 1,
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 24,
  microBatchTokens: 256,
  evalSamples: 2,
};

export const MEASURED_LORA = { loraRank: 16, loraAlpha: 16 };
