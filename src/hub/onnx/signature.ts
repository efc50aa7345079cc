/** Inputs and outputs of an exported decoder, named and shaped as transformers.js feeds and reads them. */
import type { ModelConfig } from '../../model/config.ts';
import type { Value } from './messages.ts';

/** Names of a layer's cache: what came before, and that with the new positions. */
export function cacheNames(layer: number) {
  return {
    pastKey: `past_key_values.${layer}.key`,
    pastValue: `past_key_values.${layer}.value`,
    presentKey: `present.${layer}.key`,
    presentValue: `present.${layer}.value`,
  };
}

function cacheValues(config: ModelConfig, positions: string, names: (layer: number) => string[]): Value[] {
  const shape = ['batch_size', config.kvHeads, positions, config.headDim];
  return Array.from({ length: config.layers }, (_, layer) =>
    names(layer).map((name): Value => ({ name, type: 'float32', shape })),
  ).flat();
}

/** transformers.js makes empty caches from these shapes: it knows `batch_size`, every other name stands for 0. */
export function decoderInputs(config: ModelConfig): Value[] {
  return [
    { name: 'input_ids', type: 'int64', shape: ['batch_size', 'sequence_length'] },
    { name: 'attention_mask', type: 'int64', shape: ['batch_size', 'total_sequence_length'] },
    { name: 'position_ids', type: 'int64', shape: ['batch_size', 'sequence_length'] },
    // How many of the last positions get logits; 0 for all.
    { name: 'num_logits_to_keep', type: 'int64', shape: [] },
    ...cacheValues(config, 'past_sequence_length', (layer) => {
      const { pastKey, pastValue } = cacheNames(layer);
      return [pastKey, pastValue];
    }),
  ];
}

export function decoderOutputs(config: ModelConfig): Value[] {
  return [
    { name: 'logits', type: 'float32', shape: ['batch_size', 'logits_sequence_length', config.vocabSize] },
    ...cacheValues(config, 'total_sequence_length', (layer) => {
      const { presentKey, presentValue } = cacheNames(layer);
      return [presentKey, presentValue];
    }),
  ];
}
